package import Columnar
package import Diagnostics

/// The data of a gzip file (RFC 1952), of all members one behind another.
///
/// One thread at a time uses a reader. It holds about 1.5 MB however long the data is.
package final class GzipReader {
  /// Reads up to so many bytes to an offset of a buffer, and says how many; 0 at the end.
  package typealias Fill = (Buffer<UInt8>, _ offset: Int, _ count: Int) throws(SQLError) -> Int

  private enum Phase { case header, body, trailer, end }

  private let fill: Fill
  private var phase = Phase.header
  private let input = Buffer<UInt8>(
    uninitialized: GzipReader.inputSize + Inflater.inputSlack, pages: .small)
  private var inputPosition = 0
  private var inputEnd = 0
  private var isInputAtEnd = false
  /// How many bytes were read before those in `input`.
  private var inputBase = 0
  private var inflater = Inflater()
  private var output = Inflater.Output(
    Buffer(uninitialized: GzipReader.outputSize + Inflater.windowSize, pages: .small))
  /// Up to where the output has been handed over.
  private var handedOver = 0
  private var checksum = CRC32()
  private var byteCount: UInt32 = 0
  private var isFirstMember = true

  private static let inputSize = 1 << 18
  private static let outputSize = 1 << 20
  /// An inflater holds a word of bits.
  private static let givenBackMax = 8

  package init(_ fill: @escaping Fill) { self.fill = fill }

  /// Whether data that begins with these bytes is a gzip file.
  package static func isGzip(_ head: [UInt8]) -> Bool {
    head.count >= 3 && head[0] == 0x1F && head[1] == 0x8B && head[2] == 8
  }

  /// Unpacks up to `count` bytes to `offset` of `target` and says how many; 0 at the end.
  ///
  /// - Throws: 22P04 for data that is no gzip file or whose checksum does not match, and what reading throws.
  package func read(
    into target: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    while handedOver == output.position {
      if phase == .end || count == 0 { return 0 }
      try advance()
    }
    let length = min(count, output.position - handedOver)
    target.copy(output.bytes, from: handedOver, count: length, to: offset)
    handedOver += length
    return length
  }

  private func advance() throws(SQLError) {
    switch phase {
    case .header: try readHeader()
    case .body: try unpack()
    case .trailer: try readTrailer()
    case .end: break
    }
  }

  private func damaged(_ reason: String) -> SQLError {
    SQLError(
      .badCopyFileFormat, "gzip data is damaged: \(reason), at byte \(inputBase + inputPosition)")
  }

  // MARK: Input

  /// Sees that so many bytes are there, unless the input ends before.
  private func require(_ count: Int) throws(SQLError) {
    if inputEnd - inputPosition >= count || isInputAtEnd { return }
    // Bytes move to the front, to make room behind them; with those that the inflater has loaded and may give back.
    let start = inputPosition - min(inputPosition, Self.givenBackMax)
    for index in start..<inputEnd { input[index - start] = input[index] }
    inputBase += start
    inputPosition -= start
    inputEnd -= start
    while inputEnd - inputPosition < count && !isInputAtEnd {
      let got = try fill(input, inputEnd, Self.inputSize - inputEnd)
      if got == 0 { isInputAtEnd = true }
      inputEnd += got
    }
  }

  private func nextByte() throws(SQLError) -> UInt8 {
    try require(1)
    guard inputPosition < inputEnd else {
      throw SQLError(
        .badCopyFileFormat, "gzip data ends too early, at byte \(inputBase + inputPosition)",
        hint: "The file may have been cut off while it was written or copied.")
    }
    inputPosition += 1
    return input[inputPosition - 1]
  }

  private func nextNumber(_ byteCount: Int) throws(SQLError) -> UInt32 {
    var number: UInt32 = 0
    for place in 0..<byteCount { number |= UInt32(try nextByte()) << UInt32(place * 8) }
    return number
  }

  // MARK: Members

  private func readHeader() throws(SQLError) {
    if !isFirstMember {
      // Some tools fill a file up with zeros.
      while true {
        try require(1)
        if inputPosition == inputEnd {
          phase = .end
          return
        }
        if input[inputPosition] != 0 { break }
        inputPosition += 1
      }
    }
    let first = try nextByte()
    let second = try nextByte()
    guard first == 0x1F && second == 0x8B else {
      throw damaged(isFirstMember ? "it does not begin as gzip data does" : "other data follows")
    }
    guard try nextByte() == 8 else { throw damaged("it is packed by an unknown method") }
    let flags = try nextByte()
    guard flags & 0xE0 == 0 else { throw damaged("its head has unknown flags") }
    _ = try nextNumber(4)
    _ = try nextNumber(2)
    if flags & 4 != 0 { for _ in 0..<(try nextNumber(2)) { _ = try nextByte() } }
    // A name and a comment.
    for flag: UInt8 in [8, 16] where flags & flag != 0 { while try nextByte() != 0 {} }
    if flags & 2 != 0 { _ = try nextNumber(2) }
    inflater = Inflater()
    checksum = CRC32()
    byteCount = 0
    output.start = output.position
    phase = .body
  }

  private func unpack() throws(SQLError) {
    // All was handed over; matches may still refer to the last of it.
    let kept = min(Inflater.windowSize, output.position - output.start)
    let from = output.position - kept
    if from > 0 {
      for index in 0..<kept { output.bytes[index] = output.bytes[from + index] }
      output.start = 0
      output.position = kept
      handedOver = kept
    }
    try require(Inflater.inputMin)
    var stretch = Inflater.Input(
      input, position: inputPosition, end: inputEnd, isLast: isInputAtEnd)
    let pause = try inflater.run(&stretch, &output)
    inputPosition = stretch.position
    checksum.add(output.bytes, handedOver..<output.position)
    byteCount &+= UInt32(truncatingIfNeeded: output.position - handedOver)
    if pause == .isDone { phase = .trailer }
  }

  private func readTrailer() throws(SQLError) {
    let wanted = try nextNumber(4)
    let length = try nextNumber(4)
    guard wanted == checksum.value else { throw damaged("its checksum does not match") }
    guard length == byteCount else { throw damaged("its length does not match") }
    isFirstMember = false
    phase = .header
  }
}
