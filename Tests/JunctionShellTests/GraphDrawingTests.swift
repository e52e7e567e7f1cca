import Diagnostics
import Junction
import Testing

@testable import JunctionShell

@Suite("Drawings of graphs")
struct GraphDrawingTests {
  private func connection() throws -> Connection {
    let connection = try Sample.connection()
    try connection.execute(
      """
      insert into student (name) values ('Ada'), ('Bo'), ('<Cy>');
      insert into course values (10, 'Logic'), (20, 'Music');
      insert into enrols_in values (1, 10), (2, 10), (2, 20);
      """)
    return connection
  }

  private func picture(
    _ query: GraphPicture.Query, _ connection: Connection
  ) throws -> GraphPicture {
    try GraphPicture(
      places: try connection.query(query.places),
      communities: try connection.query(query.communities),
      edges: try connection.query(query.edges))
  }

  @Test("A junction table shows the rows of both tables")
  func junction() throws {
    let picture = try picture(GraphPicture.Query(named: "enrols_in"), try connection())
    #expect(
      picture.vertices.map(\.label) == [
        "student 1", "student 2", "student 3", "course 10", "course 20",
      ])
    #expect(
      picture.edges == [
        GraphPicture.Edge(from: 0, to: 3), GraphPicture.Edge(from: 1, to: 3),
        GraphPicture.Edge(from: 1, to: 4),
      ])
    #expect(picture.vertices.map(\.degree) == [1, 2, 0, 2, 1])
    #expect(picture.vertices.allSatisfy { abs($0.x) <= 1 && abs($0.y) <= 1 })
  }

  @Test("A statement shows the pairs of its first two columns, once and without loops")
  func statement() throws {
    let query = GraphPicture.Query(
      statement: "values ('a', '<b>', 1), ('<b>', 'a', 2), ('a', 'a', 3), ('<b>', 'c', 4) -- so ; ")
    let picture = try picture(query, try connection())
    #expect(picture.vertices.map(\.label) == ["a", "<b>", "c"])
    #expect(picture.edges.map { [$0.from, $0.to] } == [[0, 1], [1, 2]])
    let svg = GraphSVG(picture, title: "a & b")
    #expect(svg.text.contains("&lt;b") && !svg.text.contains("<b>"))
    #expect(svg.text.contains("a &amp; b") && svg.page.contains("<!DOCTYPE html>"))
    #expect(svg.text.split(separator: "<circle").count == 4)
  }

  @Test("Dots of braille join vertices, which have their names beside them")
  func braille() throws {
    let picture = try picture(
      GraphPicture.Query(statement: "values ('left', 'right')"), try connection())
    let lines = BrailleDrawing(picture, width: 40, height: 10).lines
    #expect(lines.count == 10 && lines.allSatisfy { DisplayWidth.of($0) <= 40 })
    let text = lines.joined(separator: "\n")
    #expect(text.filter { $0 == "●" }.count == 2)
    #expect(text.contains("left") && text.contains("right"))
    #expect(text.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })
  }

  @Test("One vertex is drawn too")
  func single() throws {
    let picture = try picture(
      GraphPicture.Query(statement: "values (1, 1)"), try connection())
    #expect(BrailleDrawing(picture, width: 20, height: 8).lines.joined().contains("●"))
    #expect(GraphSVG(picture, title: "one").text.contains("<circle"))
  }

  @Test(
    "A request names a graph, a format and a file",
    arguments: [
      ("friend", "friend", ChartRequest.Format.text, nil), ("", nil, .text, nil),
      ("friend svg f.x", "friend", .svg, "f.x"), ("f.svg friend", "friend", .svg, "f.svg"),
      ("friend f.html", "friend", .html, "f.html"), ("html f", nil, .html, "f"),
    ] as [(String, String?, ChartRequest.Format, String?)])
  func request(
    words: String, graph: String?, format: ChartRequest.Format, path: String?
  ) throws {
    let request = try GraphRequest(words.split(separator: " ").map(String.init))
    #expect(request.graph == graph && request.format == format && request.path == path)
  }

  @Test(
    "What cannot be drawn is said",
    arguments: [
      ("a b", "extra argument \"b\""), ("a svg", "svg needs the name of a file"),
      ("a svg f.svg b", "extra argument \"b\""),
    ])
  func complaints(words: String, message: String) {
    #expect {
      _ = try GraphRequest(words.split(separator: " ").map(String.init))
    } throws: {
      ($0 as? SQLError)?.message == message
    }
  }

  @Test("A graph without vertices is none to draw")
  func empty() throws {
    let connection = try Sample.connection()
    #expect {
      _ = try picture(GraphPicture.Query(named: "enrols_in"), connection)
    } throws: {
      ($0 as? SQLError)?.message == "the graph has no vertices to draw"
    }
  }
}
