import Columnar
import Testing

@Suite("The scanner of JSON records")
struct JSONRecordScannerTests {
  private static let seeds = [
    #"{"id":1,"name":"Ann","list":[1,{"a":null}],"t":true,"f":false,"n":null,"x":-1.5e+10}"#,
    #" {"a" : "\u00e9\n\\\"x" , "b":{ "c":[ ] , "d":"}{" },"a":2 }"#.trimmed,
    #"{}"#, #"{"":0,"é":"ü – 12345678901234567890","\u0041":0.0,"A":-0}"#,
    #"{"deep":[[[[[[{"k":[]}]]]]]],"e":1E5,"s":"a longer text without anything of note in it"}"#,
  ]

  /// Where the members of an object stand, by what is trusted: the last of each name.
  private static func members(_ text: TextBytes) -> [String: String] {
    var found: [String: String] = [:]
    _ = JSONCursor.forEachMember(text) { key, value in
      var name = ByteBuilder()
      try? JSONText.decodeString(key, to: &name)
      found[name.bytes.string] = value.string
      return true
    }
    return found.filter { $0.value != "null" }
  }

  private static func isValid(_ text: TextBytes) -> Bool {
    (try? JSONText.validate(text)) != nil
  }

  /// Whether all names of an object can be names of columns.
  private static func hasNames(_ text: TextBytes) -> Bool {
    var areGood = true
    _ = JSONCursor.forEachMember(text) { key, _ in
      var name = ByteBuilder()
      areGood = areGood && (try? JSONText.decodeString(key, to: &name)) != nil
      return areGood
    }
    return areGood
  }

  /// Scans a text, and compares what is found with what checking and walking find.
  private static func compare(_ bytes: [UInt8]) {
    let buffer = Buffer(bytes)
    let text = buffer.bytes(0..<bytes.count)
    var scanner = JSONRecordScanner(text, keys: JSONKeyTable())
    switch scanner.scan(at: 0, row: 0) {
    case .end(let end):
      let object = text.slice(0..<end)
      #expect(isValid(object), "\(object.string)")
      var found: [String: String] = [:]
      for (place, name) in scanner.keys.columns.enumerated() {
        let range = scanner.cell(0, place).range
        if !range.isEmpty { found[name] = text.slice(range).string }
      }
      #expect(found == members(object), "\(object.string)")
    case .cutOff, .bad:
      let isRecord = bytes.first == UInt8(ascii: "{") && isValid(text) && hasNames(text)
      #expect(!isRecord, "\(text.string)")
    }
  }

  @Test("takes what is JSON and nothing else, and finds every member")
  func mutations() {
    var state: UInt64 = 7
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let letters = Array(#"{}[]",:\u0019eE.-+ntf "#.utf8) + [0, 10, 0x1F, 0xC3, 0xFF]
    for seed in Self.seeds {
      Self.compare(Array(seed.utf8))
      for _ in 0..<2000 {
        var bytes = Array(seed.utf8)
        for _ in 0...next(3) where !bytes.isEmpty {
          let place = next(bytes.count)
          switch next(4) {
          case 0: bytes[place] = letters[next(letters.count)]
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(letters[next(letters.count)], at: place)
          default: bytes.removeLast(next(bytes.count))
          }
        }
        Self.compare(bytes)
      }
    }
  }

  @Test("tells a record that is cut off from one that is wrong")
  func cutOff() {
    for seed in Self.seeds {
      let bytes = Array(seed.utf8)
      let buffer = Buffer(bytes)
      for count in 1..<bytes.count {
        var scanner = JSONRecordScanner(buffer.bytes(0..<count), keys: JSONKeyTable())
        guard case .cutOff = scanner.scan(at: 0, row: 0) else {
          Issue.record("\(seed) at \(count)")
          continue
        }
      }
    }
  }

  @Test("gives each new key a column, and takes no more than a table has")
  func keys() {
    var record = "{"
    for key in 0..<JSONKeyTable.namesMax { record += "\(key > 0 ? "," : "")\"k\(key)\":\(key)" }
    let tooMany = Array((record + ",\"one more\":1}").utf8)
    let bytes = Array((record + "}").utf8)
    let buffer = Buffer(bytes)
    var scanner = JSONRecordScanner(buffer.bytes(0..<bytes.count), keys: JSONKeyTable())
    for row in 0..<3 { _ = scanner.scan(at: 0, row: row) }
    #expect(scanner.keys.columns.count == JSONKeyTable.namesMax)
    let range = scanner.cell(2, JSONKeyTable.namesMax - 1).range
    #expect(buffer.bytes(range).string == "\(JSONKeyTable.namesMax - 1)")
    let other = Buffer(tooMany)
    var refusing = JSONRecordScanner(other.bytes(0..<tooMany.count), keys: JSONKeyTable())
    guard case .bad = refusing.scan(at: 0, row: 0) else {
      Issue.record("too many keys are taken")
      return
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
