import Columnar

/// The least and the greatest value of a column chunk.
///
/// NaN has no place in the order of the format and is passed over; of the zeros the least bound is negative and the greatest
/// positive, as readers may not tell them apart.
struct BoundsTracker {
  /// What lanes are compared as.
  private enum Order { case boolean, int32, int64, float, double, wide(isSigned: Bool), views }

  private let order: Order
  private var isEmpty = true
  private var leastNumber = Int64.max
  private var greatestNumber = Int64.min
  private var leastReal = Double.infinity
  private var greatestReal = -Double.infinity
  private var leastWide = UInt128.max
  private var greatestWide: UInt128 = 0
  private var leastText: [UInt8] = []
  private var greatestText: [UInt8] = []

  /// Bounds of texts have at most so many bytes.
  private static let textCountMax = 64

  init(_ form: WrittenForm) {
    switch form {
    case .boolean: order = .boolean
    case .smallint, .integer, .date: order = .int32
    case .bigint, .time, .timestamp: order = .int64
    case .real: order = .float
    case .double: order = .double
    case .decimal(let precision, _):
      order = precision <= 9 ? .int32 : precision <= 18 ? .int64 : .wide(isSigned: true)
    case .uuid: order = .wide(isSigned: false)
    case .text, .json, .bytes, .enumeration, .formatted, .formattedJSON: order = .views
    }
  }

  /// Notes values.
  mutating func add(_ values: ValueLane) {
    let rows = 0..<values.count
    if rows.isEmpty { return }
    switch order {
    case .boolean: add(values.buffer(of: UInt8.self), rows)
    case .int32: add(values.buffer(of: Int32.self), rows)
    case .int64: add(values.buffer(of: Int64.self), rows)
    case .float:
      let source = values.buffer(of: Float.self)
      for row in rows { add(Double(source[row])) }
    case .double:
      let source = values.buffer(of: Double.self)
      for row in rows { add(source[row]) }
    case .wide(let isSigned):
      let source = values.buffer(of: SIMD2<UInt64>.self)
      let sign: UInt128 = isSigned ? 1 << 127 : 0
      for row in rows {
        let key =
          (UInt128(source[row][0].byteSwapped) << 64 | UInt128(source[row][1].byteSwapped))
          ^ sign
        leastWide = min(leastWide, key)
        greatestWide = max(greatestWide, key)
      }
      isEmpty = false
    case .views: addViews(values.buffer(of: TextView.self), rows)
    }
  }

  private mutating func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ source: Buffer<Number>, _ rows: Range<Int>
  ) {
    var least = Number.max
    var greatest = Number.min
    for row in rows {
      least = min(least, source[row])
      greatest = max(greatest, source[row])
    }
    leastNumber = min(leastNumber, Int64(truncatingIfNeeded: least))
    greatestNumber = max(greatestNumber, Int64(truncatingIfNeeded: greatest))
    isEmpty = false
  }

  @inline(__always)
  private mutating func add(_ value: Double) {
    // Comparisons with a NaN are false.
    if value <= leastReal {
      leastReal = value
      isEmpty = false
    }
    if value >= greatestReal {
      greatestReal = value
      isEmpty = false
    }
  }

  private mutating func addViews(_ source: Buffer<TextView>, _ rows: Range<Int>) {
    var least = 0
    var greatest = 0
    for row in rows {
      if TextView.order(source[row], source[least]) < 0 { least = row }
      if TextView.order(source[row], source[greatest]) > 0 { greatest = row }
    }
    let low = source[least].bytes
    let high = source[greatest].bytes
    if isEmpty || low.lexicographicallyPrecedes(leastText) { leastText = low }
    if isEmpty || greatestText.lexicographicallyPrecedes(high) { greatestText = high }
    isEmpty = false
  }

  /// The bounds as they are stored; nil where there is none.
  var stored: (least: [UInt8], greatest: [UInt8])? {
    if isEmpty { return nil }
    switch order {
    case .boolean: return ([UInt8(leastNumber)], [UInt8(greatestNumber)])
    case .int32:
      return (Self.bytes(leastNumber, 4), Self.bytes(greatestNumber, 4))
    case .int64:
      return (Self.bytes(leastNumber, 8), Self.bytes(greatestNumber, 8))
    case .float, .double:
      let least = leastReal == 0 ? -0.0 : leastReal
      let greatest = greatestReal == 0 ? 0.0 : greatestReal
      if case .double = order {
        return (Self.bytes(least.bitPattern, 8), Self.bytes(greatest.bitPattern, 8))
      }
      return (
        Self.bytes(Float(least).bitPattern, 4), Self.bytes(Float(greatest).bitPattern, 4)
      )
    case .wide(let isSigned):
      let sign: UInt128 = isSigned ? 1 << 127 : 0
      return (
        Self.bytes((leastWide ^ sign).byteSwapped, 16),
        Self.bytes((greatestWide ^ sign).byteSwapped, 16)
      )
    case .views:
      // A long bound would have to be cut to another that is still a bound.
      let length = max(leastText.count, greatestText.count)
      return length <= Self.textCountMax ? (leastText, greatestText) : nil
    }
  }

  /// The lowest bytes of a number, the first lowest.
  private static func bytes(_ value: some FixedWidthInteger, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
