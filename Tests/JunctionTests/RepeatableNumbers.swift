/// Numbers that look random and are the same in each run.
struct RepeatableNumbers {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[next(choices.count)] }
}
