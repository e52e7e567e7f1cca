/// Small and fast pseudo-random numbers (SplitMix64), the same for the same seed everywhere.
package struct SimulationRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// A number from 0 to below `count`.
  package mutating func below(_ count: Int) -> Int {
    count <= 1 ? 0 : Int(truncatingIfNeeded: next() >> 1) % count
  }

  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

extension SimulatedState {
  /// The disk that survives the loss of power at this moment.
  ///
  /// Seed 0 loses all that was not synced, seed 1 nothing of it; seed 2 loses the names but not the
  /// bytes, seed 3 the bytes but not the names. With any other seed each change that was not synced is
  /// made, lost or torn by itself, out of order: a write may arrive in pieces of 1, 512 or 4096 bytes,
  /// a file may have got its new size without the bytes, or with rubbish in their place.
  package func crash(seed: UInt64) -> SimulatedState {
    var random = SimulationRandom(seed: seed)
    var survivor = SimulatedState()
    survivor.note = note
    survivor.nodes = nodes.map { node in
      switch node {
      case .file(let file):
        var bytes = file.durable
        if seed == 1 || seed == 2 {
          for change in file.pending { change.apply(to: &bytes) }
        } else if seed > 3 {
          Self.applySome(file.pending, to: &bytes, &random)
        }
        return .file(File(durable: bytes, pending: [], visible: bytes))
      case .folder(let folder):
        var names = folder.durable
        for change in folder.pending {
          let isMade = seed > 3 ? random.chance(50) : seed == 1 || seed == 3
          if isMade { change.apply(to: &names) }
        }
        return .folder(Folder(durable: names, pending: [], visible: names))
      }
    }
    return survivor
  }

  /// The disk that a killed process leaves: programs see all that was written, no sync has happened.
  package func killed() -> SimulatedState {
    var survivor = self
    survivor.openings = [:]
    return survivor
  }

  /// Makes a part of the changes, and says nothing about which.
  static func applySome(
    _ changes: [FileChange], to bytes: inout [UInt8], _ random: inout SimulationRandom
  ) {
    // Often all up to some change arrive: what the system wrote back before the power went.
    let wholeCount = random.chance(40) ? random.below(changes.count + 1) : 0
    for (index, change) in changes.enumerated() {
      if index < wholeCount {
        change.apply(to: &bytes)
        continue
      }
      switch (change, random.below(4)) {
      case (_, 0): change.apply(to: &bytes)
      case (.write(let offset, let written), 1), (.write(let offset, let written), 2):
        applyTorn(offset, written, to: &bytes, &random)
      case (.write(let offset, let written), _):
        if random.chance(25) { grow(&bytes, to: offset + written.count, &random) }
      case (.truncate, _): break
      }
    }
  }

  private static func applyTorn(
    _ offset: Int, _ written: [UInt8], to bytes: inout [UInt8], _ random: inout SimulationRandom
  ) {
    let unit = [1, 512, 4096][random.below(3)]
    if random.chance(50) { grow(&bytes, to: offset + written.count, &random) }
    let isPrefix = random.chance(50)
    let end = offset + written.count
    // Pieces are those of the file, not of the write.
    let cut = offset + random.below(written.count + 1)
    var start = offset
    while start < end {
      let next = min((start / unit + 1) * unit, end)
      let isMade = isPrefix ? next <= cut : random.chance(50)
      if isMade {
        let piece = Array(written[(start - offset)..<(next - offset)])
        FileChange.write(offset: start, bytes: piece).apply(to: &bytes)
      }
      start = next
    }
  }

  /// Gives a file its new size before its bytes: zeros, or what stood on the disk there before.
  private static func grow(
    _ bytes: inout [UInt8], to size: Int, _ random: inout SimulationRandom
  ) {
    if bytes.count >= size { return }
    let isRubbish = random.chance(30)
    while bytes.count < size {
      bytes.append(isRubbish ? UInt8(truncatingIfNeeded: random.next()) : 0)
    }
  }
}
