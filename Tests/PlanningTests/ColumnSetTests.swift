import Planning
import Testing

/// Sets and maps of columns against those of the standard library.
@Suite("Sets and maps of columns")
struct ColumnSetTests {
  /// Numbers that look random, the same in each run.
  private struct Numbers {
    private var state: UInt64 = 0x2545_F491_4F6C_DD1D

    mutating func next(below limit: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(limit))
    }

    /// Columns among a few, of which some are numbered below zero, as those are that rules make for themselves.
    mutating func columns(_ count: Int, from first: Int, width: Int) -> [ColumnID] {
      (0..<count).map { _ in ColumnID(Int32(first + next(below: width))) }
    }
  }

  @Test("Sets have the members that Set has")
  func sets() {
    var numbers = Numbers()
    for round in 0..<400 {
      let width = [3, 60, 200, 900][round % 4]
      let first = numbers.columns(numbers.next(below: 12), from: -100, width: width)
      let second = numbers.columns(numbers.next(below: 12), from: 50 - round, width: width)
      var (one, other) = (ColumnSet(first), Set(first))
      let (two, another) = (ColumnSet(second), Set(second))
      #expect(Array(one) == other.sorted())
      #expect(one.count == other.count && one.isEmpty == other.isEmpty)
      #expect(Array(one.union(two)) == other.union(another).sorted())
      #expect(Array(one.intersection(two)) == other.intersection(another).sorted())
      #expect(Array(one.subtracting(two)) == other.subtracting(another).sorted())
      #expect(one.isSubset(of: two) == other.isSubset(of: another))
      #expect(one.isDisjoint(with: two) == other.isDisjoint(with: another))
      #expect((one == two) == (other == another))
      #expect(one.union(two).subtracting(two).union(one) == one)
      for column in second {
        #expect(one.contains(column) == other.contains(column))
        #expect(one.insert(column) == other.insert(column).inserted)
      }
      for column in first { #expect(one.remove(column) == other.remove(column)) }
      #expect(Array(one) == other.sorted())
      #expect(one == ColumnSet(other) && one.hashValue == ColumnSet(other).hashValue)
    }
  }

  @Test("Maps have the entries that Dictionary has")
  func maps() {
    var numbers = Numbers()
    for round in 0..<200 {
      var map: ColumnMap<Int> = [:]
      var known: [ColumnID: Int] = [:]
      for column in numbers.columns(40, from: -20, width: [10, 500][round % 2]) {
        let value = numbers.next(below: 100)
        switch value % 4 {
        case 0:
          map[column] = nil
          known[column] = nil
        case 1:
          map[column, default: 7] += value
          known[column, default: 7] += value
        case 2:
          map.change(column) { $0 += 1 }
          known[column]? += 1
        case _:
          map[column] = value
          known[column] = value
        }
        #expect(map[column] == known[column] && map.count == known.count)
      }
      #expect(map.keys == known.keys.sorted())
      #expect(map.allSatisfy { known[$0.key] == $0.value })
      let other: ColumnMap<Int> = [ColumnID(3): 1, ColumnID(-4): 2, ColumnID(1000): 3]
      let merged = map.merging(other) { $0 - $1 }
      let all = known.merging([ColumnID(3): 1, ColumnID(-4): 2, ColumnID(1000): 3]) { $0 - $1 }
      #expect(merged.keys == all.keys.sorted() && merged.allSatisfy { all[$0.key] == $0.value })
    }
  }
}
