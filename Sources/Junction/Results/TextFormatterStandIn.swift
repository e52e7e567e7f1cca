import Columnar

enum TextFormatter {
  static func append(_ row: Int, of vector: Vector, to bytes: inout ByteBuilder) {}
}
