import Columnar
import Diagnostics

/// Rows of a flat column being put together.
private struct FlatBatch {
  let count: Int
  /// Values by row; none as long as all of them are places in the dictionary.
  var block: MemoryBlock?
  /// Places in the dictionary by row.
  var places: Buffer<UInt32>?
  /// Which rows have a value.
  let words: Buffer<UInt64>
  var present = 0
  var heaps: [TextHeap] = []

  /// Where the values' memory comes from; nil for the system.
  let memory: MemoryStretches?

  init(_ count: Int, _ memory: MemoryStretches?) {
    self.count = count
    self.memory = memory
    words = Buffer(zeroed: max(1, ValidityMask.wordCount(count)))
  }
}

extension LeafReader {
  private var isText: Bool { form == .text || form == .json || form == .bytes }

  /// The next rows of a column that is no part of a list or a group.
  ///
  /// - Throws: 22P04 where there are fewer.
  func readFlat(_ count: Int, in memory: MemoryStretches?) throws(SQLError) -> Vector {
    var batch = FlatBatch(count, memory)
    var done = 0
    while done < count {
      if pageLeft == 0 {
        guard try nextPage() else {
          throw error(Damage("its pages end \(count - done) values before its row group does"))
        }
      }
      let length = min(count - done, pageLeft)
      do throws(Damage) {
        try readStretch(length, at: done, &batch)
      } catch { throw self.error(error) }
      pageLeft -= length
      done += length
    }
    return finish(batch)
  }

  /// Passes over the next rows of such a column; pages that have no others are not unpacked.
  ///
  /// - Throws: 22P04 where there are fewer.
  func skipFlat(_ count: Int) throws(SQLError) {
    var left = count
    while left > 0 {
      if pageLeft == 0 {
        let hasPage = try nextPage(passing: &left)
        if left == 0 { return }
        guard hasPage else {
          throw error(Damage("its pages end \(left) values before its row group does"))
        }
      }
      try RunningStatement.check()
      let length = min(left, pageLeft, Self.skippedMax)
      do throws(Damage) {
        let present = leaf.definitionLevel > 0 ? try skipPresence(length) : length
        try values?.skip(present)
      } catch { throw self.error(error) }
      pageLeft -= length
      left -= length
    }
  }

  /// So many values of a page are passed over at a time: it may say that it has any number.
  private static var skippedMax: Int { 1 << 16 }

  private func readStretch(
    _ length: Int, at done: Int, _ batch: inout FlatBatch
  ) throws(Damage) {
    guard let values else { return }
    var present = length
    if leaf.definitionLevel > 0 {
      present = try readPresence(length, into: batch.words, at: done)
    }
    batch.present += present
    // Values stay in the dictionary, to which rows refer, as texts are larger than their places; unless they are wanted flat.
    let keepsPlaces = isText && batch.memory == nil
    let isNew = done == 0
    if values.isDictionary, let dictionary {
      let places = batch.places ?? Buffer<UInt32>(uninitialized: batch.count)
      batch.places = places
      try values.readPlaces(present, into: places, at: done, limit: dictionary.count)
      if keepsPlaces && (isNew || batch.block == nil) {
        Spreading.spread(
          places, UInt32(dictionary.count), done, length, present, batch.words)
        return
      }
      let block = block(of: &batch)
      dictionary.gather(
        places.slice(done..<(done + present)), present, into: block, at: done, stride: form.stride)
      if isText, batch.heaps.last !== dictionary.heaps.last { batch.heaps += dictionary.heaps }
      spread(block, done, length, present, batch)
      return
    }
    let hadNone = batch.block == nil
    let block = block(of: &batch)
    if hadNone, keepsPlaces, !isNew, let places = batch.places, let dictionary {
      // The rows before have referred to the dictionary; their NULLs to the place behind its end.
      dictionary.gather(places, done, into: block, at: 0, stride: form.stride)
      batch.heaps += dictionary.heaps
    }
    try conversion.read(present, from: values, into: block, at: done, &batch.heaps)
    spread(block, done, length, present, batch)
  }

  private func block(of batch: inout FlatBatch) -> MemoryBlock {
    if let block = batch.block { return block }
    let byteCount = batch.count * form.stride
    let block = batch.memory?.take(byteCount) ?? MemoryBlock(byteCount: byteCount)
    batch.block = block
    return block
  }

  private func spread(
    _ block: MemoryBlock, _ start: Int, _ count: Int, _ present: Int, _ batch: FlatBatch
  ) {
    Spreading.spread(
      block, stride: form.stride, from: start, count: count, present: present, by: batch.words)
  }

  private func finish(_ batch: FlatBatch) -> Vector {
    let hasNulls = batch.present < batch.count
    let type = form.columnType.type
    if form == .null { return .null(type, count: batch.count) }
    if batch.block == nil, let places = batch.places, let dictionary {
      return Vector(
        type: type, count: batch.count, form: .indirect, storage: dictionary.block,
        validity: hasNulls ? dictionary.validity : .allValid, indices: places,
        heaps: dictionary.heaps)
    }
    return form.vector(
      batch.block ?? MemoryBlock(byteCount: 0), count: batch.count,
      validity: hasNulls ? ValidityMask(words: batch.words) : .allValid, heaps: batch.heaps)
  }
}

extension ValueForm {
  /// A flat vector of values of this form.
  func vector(
    _ block: MemoryBlock, count: Int, validity: ValidityMask, heaps: [TextHeap]
  ) -> Vector {
    if let decimals = smallDecimals {
      return Vector(
        decimals: decimals, block.buffer(of: Int64.self), count: count, validity: validity)
    }
    return Vector(
      type: columnType.type, count: count, storage: block, validity: validity, heaps: heaps)
  }
}
