import Testing

@testable import Columnar

@Suite("Days of the calendar")
struct CivilDateTests {
  /// The day that is `days` after 2000-01-01, counted in eras of 400 years.
  private func plain(_ days: Int) -> CivilDate {
    let shifted = days + 730_425
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isOfNextYear = month >= 10
    return CivilDate(
      year: year + era * 400 + (isOfNextYear ? 1 : 0), month: isOfNextYear ? month - 9 : month + 3,
      day: dayOfYear - (153 * month + 2) / 5 + 1)
  }

  private func check(_ days: Int) -> Bool {
    let date = CivilDate(days: days)
    return date == plain(days) && date.days == days
  }

  @Test("are told from their numbers and back, whether near or far")
  func bothWays() {
    var wrong: [Int] = []
    var days = -12_000_000
    while days < 12_000_000 {
      if !check(days) { wrong.append(days) }
      days += 61
    }
    for border in [
      -11_000_000, 11_000_000, 0, -730_425, Int(Int32.max) - 2_000, Int(Int32.min) + 2_000,
    ] {
      for days in border - 1_500...border + 1_500 where !check(days) { wrong.append(days) }
    }
    for year in [-29_001, -29_000, -28_999, 28_999, 29_000, 29_001, -4_713, 0, 294_276, 5_874_897] {
      let first = CivilDate(year: year, month: 1, day: 1).days
      for days in first - 400...first + 400 where !check(days) { wrong.append(days) }
    }
    #expect(wrong == [])
  }
}
