@testable import JunctionShell

/// What a terminal of some size shows after the bytes it was sent: enough of an emulator for a line editor.
struct TerminalScreen {
  private(set) var columns: Int
  private(set) var rowCount: Int
  private var cells: [[String]]
  private var row = 0
  private var column = 0
  /// Bytes of an escape sequence or of a character that is not whole yet.
  private var pending: [UInt8] = []
  /// Lines that have left the screen at its top.
  private(set) var scrolledOff: [String] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    rowCount = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The rows without blanks at their ends; those below the last text are left out.
  var lines: [String] {
    var lines = cells.map(Self.text)
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Everything that was ever shown, as lines.
  var history: [String] { scrolledOff + lines }

  var cursor: (row: Int, column: Int) { (row, min(column, columns - 1)) }

  private static func text(_ cells: [String]) -> String {
    var text = cells.joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Takes another size, without wrapping what is shown.
  mutating func resize(columns: Int, rows: Int) {
    let lines = cells
    self = TerminalScreen(columns: columns, rows: rows)
    for (index, line) in lines.prefix(rows).enumerated() {
      cells[index].replaceSubrange(0..<min(columns, line.count), with: line.prefix(columns))
    }
  }

  /// Takes a byte that was written to the terminal.
  mutating func feed(_ byte: UInt8) {
    if pending.isEmpty, byte < 0x20, byte != 0x1B {
      control(byte)
      return
    }
    pending.append(byte)
    if pending[0] == 0x1B {
      if pending.count > 2, (0x40...0x7E).contains(byte) {
        sequence(String(decoding: pending.dropFirst(2), as: UTF8.self))
        pending = []
      }
      return
    }
    guard let text = String(validating: pending, as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else { return }
    pending = []
    put(text, width: DisplayWidth.of(scalar))
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x0D: column = 0
    case 0x0A: lineFeed()
    case 0x08: column = max(0, column - 1)
    default: break
    }
  }

  private mutating func lineFeed() {
    row += 1
    guard row == rowCount else { return }
    scrolledOff.append(Self.text(cells.removeFirst()))
    cells.append(Array(repeating: " ", count: columns))
    row -= 1
  }

  private mutating func put(_ text: String, width: Int) {
    if width == 0 {
      if column > 0 { cells[row][column - 1] += text }
      return
    }
    if column + width > columns {
      column = 0
      lineFeed()
    }
    cells[row][column] = text
    if width == 2 { cells[row][column + 1] = "" }
    column += width
  }

  private mutating func sequence(_ text: String) {
    let count = max(1, Int(text.dropLast()) ?? 1)
    switch text.last {
    case "A": row = max(0, row - count)
    case "B": row = min(rowCount - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "D": column = max(0, min(column, columns - 1) - count)
    case "H": (row, column) = (0, 0)
    case "J":
      let first = text == "2J" ? 0 : row * columns + column
      for place in first..<(rowCount * columns) { cells[place / columns][place % columns] = " " }
    case "K": for place in column..<columns { cells[row][place] = " " }
    default: break
    }
  }
}
