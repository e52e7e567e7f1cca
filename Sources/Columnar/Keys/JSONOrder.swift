/// The order of jsonb values, by their text.
///
/// A jsonb text is in normal form, so that equal texts mean equal values.
enum JSONOrder {
  static func compare(_ left: TextBytes, _ right: TextBytes) -> Int {
    TextBytes.order(left, right)
  }

  static func hash(_ bytes: TextBytes, _ seed: UInt64) -> UInt64 {
    Hashing.hash(bytes: bytes, seed)
  }
}
