extension Vector {
  /// A flat vector with room for `capacity` values of a type that stand by themselves, none of them written.
  package static func room(for capacity: Int, of type: LogicalType) -> Vector {
    Vector(
      type: type, count: 0,
      storage: MemoryBlock(byteCount: max(capacity, 1) &* type.physical.stride))
  }

  /// Makes the vector one of `rows` values without NULLs that are to be written over those it has.
  ///
  /// So a result that nobody holds any more gives its memory to the next one.
  ///
  /// - Returns: whether that is possible: not where the vector has another form, somebody else holds its memory
  ///   or the memory has no room. The vector is then as it was.
  package mutating func reuse(rows: Int) -> Bool {
    guard form == .flat, validity.isAllValid, digits == nil, children.isEmpty, heaps.isEmpty,
      rows &* type.physical.stride <= storage.byteCount, storage.isUnique()
    else { return false }
    count = rows
    return true
  }
}
