import Codecs
import Columnar
package import Diagnostics

/// The data of a packed file, unpacked as it is read.
final class UnpackedSource: ByteSource {
  /// What files are packed by.
  enum Packing { case gzip, zstandard }

  private typealias Read = (Buffer<UInt8>, _ offset: Int, _ count: Int) throws(SQLError) -> Int

  private let source: any ByteSource
  private let packing: Packing
  private var unpack: Read

  init(_ source: any ByteSource, _ packing: Packing) {
    self.source = source
    self.packing = packing
    unpack = Self.reader(of: source, packing)
  }

  private static func reader(of source: any ByteSource, _ packing: Packing) -> Read {
    let fill: Read = { (buffer, offset, count) throws(SQLError) in
      try source.read(into: buffer, at: offset, count: count)
    }
    switch packing {
    case .gzip:
      let reader = GzipReader(fill)
      return { (buffer, offset, count) throws(SQLError) in
        try reader.read(into: buffer, at: offset, count: count)
      }
    case .zstandard:
      let reader = ZstandardReader(fill)
      return { (buffer, offset, count) throws(SQLError) in
        try reader.read(into: buffer, at: offset, count: count)
      }
    }
  }

  /// Only the end of the file tells.
  var byteCount: Int? { nil }

  var isRepeatable: Bool { source.isRepeatable }

  func rewind() throws(SQLError) {
    try source.rewind()
    unpack = Self.reader(of: source, packing)
  }

  func read(into buffer: Buffer<UInt8>, at offset: Int, count: Int) throws(SQLError) -> Int {
    try unpack(buffer, offset, count)
  }
}

/// Files of text as they lie on disk.
package enum TextFile {
  /// Opens a file; what gzip or zstd has packed is unpacked as it is read, whatever the file's name.
  ///
  /// - Throws: 58P01 or 58030 with the system's reason, 0A000 for what another program has packed.
  package static func open(_ path: String) throws(SQLError) -> any ByteSource {
    let file = try FileSource(path: path)
    // A pipe gives its first bytes only once.
    guard file.isRepeatable else { return file }
    let head = Buffer<UInt8>(zeroed: 8)
    let count = try file.read(into: head, at: 0, count: 6)
    try file.rewind()
    let bytes = head.array(count)
    if GzipReader.isGzip(bytes) { return UnpackedSource(file, .gzip) }
    if ZstandardReader.isZstandard(bytes) { return UnpackedSource(file, .zstandard) }

    for (mark, name, command) in packers
    where bytes.count >= mark.count && zip(bytes, mark).allSatisfy({ $1 == nil || $0 == $1 }) {
      throw SQLError(
        .featureNotSupported, "\"\(path)\" is packed by \(name), which is not read",
        hint: "Unpack it first: \(command) \(path)")
    }
    return file
  }

  /// How files begin that others have packed; nil stands for any byte.
  private static let packers: [(mark: [UInt8?], name: String, command: String)] = [
    ([0x42, 0x5A, 0x68, nil, 0x31, 0x41], "bzip2", "bunzip2"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz", "unxz"), ([0x50, 0x4B, 3, 4], "zip", "unzip"),
  ]
}
