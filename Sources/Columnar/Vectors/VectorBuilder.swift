/// Puts a flat vector together, value by value or stretch by stretch.
///
/// `append(_: Value)` is for edges; data in bulk comes through `append(_: Vector)` or
/// `appendRows(of:at:count:)`, which move whole stretches in typed loops. Texts are copied into the builder's own heap
/// unless `sharesText` says that their owner outlives the result.
package struct VectorBuilder {
  package let type: LogicalType
  package private(set) var count = 0
  private var storage: MemoryBlock
  private var capacity: Int
  private var validity = ValidityMask.allValid
  private var children: [VectorBuilder] = []
  /// The texts that were copied; nil before there are any.
  private var heap: TextHeap?
  private let sharesText: Bool

  /// A builder with room for `capacity` values.
  package init(_ type: LogicalType, capacity: Int = 16, sharesText: Bool = false) {
    self.type = type
    self.capacity = max(capacity, 1)
    self.sharesText = sharesText
    storage = MemoryBlock(byteCount: self.capacity * type.physical.stride, zeroed: true)
    switch type {
    case .array(let element):
      children = [VectorBuilder(element, capacity: capacity, sharesText: sharesText)]
    case .record(let record):
      children = record.fields.map {
        VectorBuilder($0.type, capacity: capacity, sharesText: sharesText)
      }
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .enumeration, .unknown, .void:
      break
    }
  }

  /// The bytes the builder holds, for memory accounting.
  package var byteCount: Int {
    storage.byteCount + (heap?.byteCount ?? 0) + children.reduce(0) { $0 + $1.byteCount }
  }

  private mutating func reserve(_ extra: Int) {
    guard count + extra > capacity else { return }
    let grown = max(capacity * 2, count + extra)
    let block = MemoryBlock(byteCount: grown * type.physical.stride, zeroed: true)
    let (source, target) = (storage.buffer(of: UInt8.self), block.buffer(of: UInt8.self))
    let byteCount = count * type.physical.stride
    var start = 0
    // What is left out of a statement that has to end is zero: values as good as any, which nobody gets to see.
    while start < byteCount && (start == 0 || !RunningStatement.isInterrupted) {
      let length = min(1 << 22, byteCount - start)
      target.copy(source, from: start, count: length, to: start)
      start += length
    }
    validity = validity.isAllValid ? validity : validity.copy(count: grown)
    storage = block
    capacity = grown
  }

  private mutating func textHeap() -> TextHeap {
    if let heap { return heap }
    let made = TextHeap()
    heap = made
    return made
  }

  private func set<Element: BitwiseCopyable>(_ value: Element) {
    storage.buffer(of: Element.self)[count] = value
  }

  /// Adds NULL.
  package mutating func appendNull() {
    reserve(1)
    validity.setNull(count, count: capacity)
    if type.physical == .record {
      for field in children.indices { children[field].appendNull() }
    }
    count += 1
  }

  /// Adds one value.
  ///
  /// - Precondition: the value is of the type's physical form; NULL takes the place of any other.
  package mutating func append(_ value: Value) {
    reserve(1)
    let form = type.physical
    switch value {
    case .boolean(let value) where form == .bool: set(value ? UInt8(1) : 0)
    case .int16(let value) where form == .int16: set(value)
    case .int32(let value) where form == .int32: set(value)
    case .int64(let value) where form == .int64: set(value)
    case .float(let value) where form == .float: set(value)
    case .double(let value) where form == .double: set(value)
    case .numeric(let value) where form == .numeric: set(value)
    case .interval(let value) where form == .interval: set(value)
    case .uuid(let value) where form == .uuid: set(value)
    case .text(let bytes) where form == .text: set(textHeap().append(bytes))
    case .list(let values) where form == .list:
      let slice = ListSlice(offset: UInt32(children[0].count), count: UInt32(values.count))
      for value in values { children[0].append(value) }
      set(slice)
    case .record(let values) where form == .record:
      for (field, value) in zip(children.indices, values) { children[field].append(value) }
    case .null:
      appendNull()
      return
    case .boolean, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid, .text,
      .list,
      .record:
      assertionFailure("a value of another form was appended to a \(type.name) vector")
      appendNull()
      return
    }
    count += 1
  }

  /// Adds one text.
  package mutating func append(_ bytes: TextBytes) {
    reserve(1)
    set(textHeap().append(bytes))
    count += 1
  }

  /// Adds one text.
  package mutating func append(_ text: String) {
    reserve(1)
    set(textHeap().append(text.utf8Span.span))
    count += 1
  }

  /// Adds one number of the physical type, moved without a look.
  package mutating func append<Element: BitwiseCopyable>(raw value: Element) {
    assert(MemoryLayout<Element>.stride == type.physical.stride, "the element must be of the type")
    reserve(1)
    set(value)
    count += 1
  }

  /// Adds every row of `vector`.
  package mutating func append(_ vector: Vector) {
    let flat = vector.flattened()
    let length = flat.count
    reserve(length)
    appendValidity(flat)
    switch type.physical {
    case .record:
      for field in children.indices {
        children[field].append(flat.children[field].resized(to: length))
      }
    case .list:
      let own = flat.withOwnElements()
      let target = storage.buffer(of: ListSlice.self)
      let source = own.values(ListSlice.self)
      let base = UInt32(children[0].count)
      for row in 0..<length {
        let slice = source[row]
        target[count &+ row] = ListSlice(offset: base &+ slice.offset, count: slice.count)
      }
      children[0].append(own.children[0])
    case .text where !sharesText:
      let target = storage.buffer(of: TextView.self)
      let source = flat.values(TextView.self)
      var last = TextView()
      var copy = TextView()
      for row in 0..<length {
        let view = flat.validity.isValid(row) ? source[row] : TextView()
        // One copy is enough where a constant or a join has repeated a text.
        if view.isInline {
          copy = view
        } else if !(view === last) {
          // What is left out of a statement that has to end is empty.
          if view.count > 1 << 16 && RunningStatement.isInterrupted { break }
          copy = textHeap().adopt(view)
        }
        last = view
        target[count &+ row] = copy
      }
    case .bool, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid, .text:
      let stride = type.physical.stride
      storage.buffer(of: UInt8.self).copy(
        flat.storage.buffer(of: UInt8.self), count: length * stride, to: count * stride)
    }
    count += length
  }

  private mutating func appendValidity(_ flat: Vector) {
    validity.write(flat.validity, count: flat.count, at: count, capacity: capacity)
  }

  /// The vector of all that was added; the builder must not be used afterwards.
  package func finish() -> Vector {
    Vector(
      type: type, count: count, storage: storage, validity: validity,
      children: children.map { $0.finish() }, heaps: heap.map { $0.byteCount > 0 ? [$0] : [] } ?? []
    )
  }
}
