package import Columnar
package import Diagnostics

/// The data of a Zstandard file, of all frames one behind another.
///
/// One thread at a time uses a reader. It holds no more than the window that a frame asks for, twice, and no more of that than the
/// data comes to.
package final class ZstandardReader {
  /// Reads up to so many bytes to an offset of a buffer, and says how many; 0 at the end.
  package typealias Fill = (Buffer<UInt8>, _ offset: Int, _ count: Int) throws(SQLError) -> Int

  private enum Phase { case header, skipped(Int), blocks, checksum, end }

  private let fill: Fill
  private var phase = Phase.header
  private let input = Buffer<UInt8>(
    uninitialized: ZstandardReader.inputSize + Zstandard.inputSlack, pages: .small)
  private var inputPosition = 0
  private var inputEnd = 0
  private var isInputAtEnd = false
  /// How many bytes were read before those in `input`.
  private var inputBase = 0

  private var unpacker = ZstandardUnpacker()
  private var output: Buffer<UInt8>
  /// Where the frame begins in the output, or what is kept of it.
  private var frameStart = 0
  private var outputEnd = 0
  /// Up to where the output has been handed over.
  private var handedOver = 0
  /// Up to where the output is in the checksum.
  private var summed = 0
  private var checksum = XXHash64()
  private var hasChecksum = false
  private var window = 0

  private static let inputSize = 1 << 18
  private static let outputMin = 1 << 20
  /// The largest window, which is as much as `zstd` takes by itself.
  private static let windowMax = 1 << 27

  package init(_ fill: @escaping Fill) {
    self.fill = fill
    output = Buffer(uninitialized: Self.outputMin + Zstandard.outputSlack, pages: .small)
  }

  /// Whether data that begins with these bytes is a Zstandard file.
  package static func isZstandard(_ head: [UInt8]) -> Bool {
    head.count >= 4
      && (head.prefix(4) == [0x28, 0xB5, 0x2F, 0xFD]
        || head[0] & 0xF0 == 0x50 && head[1...3] == [0x2A, 0x4D, 0x18])
  }

  /// Unpacks up to `count` bytes to `offset` of `target` and says how many; 0 at the end.
  ///
  /// - Throws: 22P04 for data that is none of the format or whose checksum does not match, 0A000 for a window that is too
  ///   large, and what reading throws.
  package func read(
    into target: Buffer<UInt8>, at offset: Int, count: Int
  ) throws(SQLError) -> Int {
    while handedOver == outputEnd {
      if case .end = phase { return 0 }
      if count == 0 { return 0 }
      try advance()
    }
    let length = min(count, outputEnd - handedOver)
    target.copy(output, from: handedOver, count: length, to: offset)
    handedOver += length
    return length
  }

  private func advance() throws(SQLError) {
    switch phase {
    case .header: try readHeader()
    case .skipped(let count): try skip(count)
    case .blocks: try unpackBlock()
    case .checksum: try readChecksum()
    case .end: break
    }
  }

  private func damaged(_ reason: String) -> SQLError {
    SQLError(
      .badCopyFileFormat,
      "zstandard data is damaged: \(reason), at byte \(inputBase + inputPosition)")
  }

  private var cutOff: SQLError {
    SQLError(
      .badCopyFileFormat,
      "zstandard data ends too early, at byte \(inputBase + inputEnd)",
      hint: "The file may have been cut off while it was written or copied.")
  }

  // MARK: Input

  /// Sees that so many bytes are there, unless the input ends before; says how many there are.
  private func require(_ count: Int) throws(SQLError) -> Int {
    if inputEnd - inputPosition < count && !isInputAtEnd {
      // Bytes move to the front, to make room behind them.
      input.copy(input, from: inputPosition, count: inputEnd - inputPosition, to: 0)
      inputBase += inputPosition
      inputEnd -= inputPosition
      inputPosition = 0
      while inputEnd < count && !isInputAtEnd {
        let got = try fill(input, inputEnd, Self.inputSize - inputEnd)
        if got == 0 { isInputAtEnd = true }
        inputEnd += got
      }
    }
    return inputEnd - inputPosition
  }

  // MARK: Frames

  private func readHeader() throws(SQLError) {
    let count = try require(ZstandardFrame.sizeMax)
    if count == 0 {
      phase = .end
      return
    }
    guard let frame = ZstandardFrame(input, inputPosition, inputEnd) else {
      throw damaged(
        count < ZstandardFrame.sizeMax && isInputAtEnd
          ? "a frame is cut off" : "it is no frame, or needs a dictionary")
    }
    inputPosition = frame.end
    if let length = frame.skipped {
      phase = .skipped(length)
      return
    }
    guard frame.window <= Self.windowMax else {
      throw SQLError(
        .featureNotSupported,
        "zstandard data refers back by \(frame.window) bytes, and no more than \(Self.windowMax) are kept",
        hint: "Pack it again without --long or --ultra.")
    }
    window = max(frame.window, 1)
    hasChecksum = frame.hasChecksum
    unpacker.beginFrame()
    checksum = XXHash64()
    // All has been handed over.
    (frameStart, outputEnd, handedOver, summed) = (0, 0, 0, 0)
    phase = .blocks
  }

  private func skip(_ count: Int) throws(SQLError) {
    guard count > 0 else {
      phase = .header
      return
    }
    let there = try require(1)
    guard there > 0 else { throw cutOff }
    let length = min(there, count)
    inputPosition += length
    phase = .skipped(count - length)
  }

  private func unpackBlock() throws(SQLError) {
    try makeRoom()
    let count = try require(ZstandardBlock.headSize + ZstandardBlock.sizeMax)
    guard let block = ZstandardBlock(input, inputPosition, inputEnd) else {
      throw isInputAtEnd && count < ZstandardBlock.headSize + ZstandardBlock.sizeMax
        ? cutOff : damaged("a block is none")
    }
    let room = ZstandardUnpacker.Room(
      output: output, frameStart: frameStart, end: outputEnd + ZstandardBlock.sizeMax)
    if let reason = unpacker.unpack(block, input, to: room, &outputEnd) { throw damaged(reason) }
    inputPosition = block.body.upperBound
    let steps = (outputEnd - summed) / XXHash64.stride * XXHash64.stride
    if hasChecksum { checksum.add(output, summed..<(summed + steps)) }
    summed += steps
    if block.isLast { phase = hasChecksum ? .checksum : .header }
  }

  /// Sees that a block fits behind what copies may refer to; all was handed over.
  private func makeRoom() throws(SQLError) {
    let needed = outputEnd + ZstandardBlock.sizeMax + Zstandard.outputSlack
    if needed <= output.count { return }
    // What is not in the checksum yet is less than a step.
    let kept = min(outputEnd, max(window, XXHash64.stride))
    var target = output
    if kept > output.count / 2 {
      let size = output.count * 2 + ZstandardBlock.sizeMax + Zstandard.outputSlack
      try RunningStatement.reserve(size)
      target = Buffer(uninitialized: size)
    }
    let start = outputEnd - kept
    target.copy(output, from: start, count: kept, to: 0)
    output = target
    frameStart = max(0, frameStart - start)
    summed -= start
    outputEnd = kept
    handedOver = kept
  }

  private func readChecksum() throws(SQLError) {
    guard try require(4) >= 4 else { throw cutOff }
    let wanted = UInt32(truncatingIfNeeded: PagePointer(input).word(at: inputPosition))
    let sum = checksum.value(with: output, summed..<outputEnd)
    guard UInt32(truncatingIfNeeded: sum) == wanted else {
      throw damaged("its checksum does not match")
    }
    inputPosition += 4
    phase = .header
  }
}
