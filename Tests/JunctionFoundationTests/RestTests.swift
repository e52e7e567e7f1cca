import Foundation
import Junction
import JunctionFoundation
import Testing

@Suite("Foundation's types in PostgREST's way")
struct RestTests {
  struct Project: Codable, Identifiable, Equatable, Sendable {
    let id: UUID
    let name: String
    var start: Date?
  }
  struct ProjectWithEmployees: Codable, Sendable {
    let id: UUID
    let name: String
    let project_employees: [Wrapper]
    struct Wrapper: Codable, Sendable { let employees: Project }
  }

  @Test("go in and out, as keys, moments and filters")
  func values() async throws {
    let client = Database()
    try client.execute(
      """
      CREATE TABLE projects (id uuid PRIMARY KEY, name text, start timestamptz);
      CREATE TABLE employees (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, start timestamptz);
      CREATE TABLE project_employees (
        project_id uuid REFERENCES projects, employee_id uuid REFERENCES employees,
        PRIMARY KEY (project_id, employee_id));
      """)
    let sent = Project(
      id: UUID(), name: "Apollo", start: Date(timeIntervalSince1970: 1_700_000_000.25))
    let apollo: Project = try await client.from("projects").insert(sent).select().single()
      .execute().value
    #expect(apollo == sent)
    let ada: Project = try await client.from("employees").insert(["name": "Ada"]).select()
      .single().execute().value
    try await client.from("project_employees")
      .insert(["project_id": apollo.id, "employee_id": ada.id]).execute()
    let nested: [ProjectWithEmployees] =
      try await client
      .from("projects")
      .select(
        """
        id, name,
        project_employees ( employees ( id, name ) )
        """
      )
      .eq("id", value: apollo.id).lte("start", value: Date())
      .execute()
      .value
    #expect(nested.first?.project_employees.map(\.employees.name) == ["Ada"])
  }

  @Test("tell the path of what does not fit them")
  func path() async throws {
    let client = Database()
    try client.execute(
      """
      CREATE TABLE projects (id int PRIMARY KEY, name text);
      CREATE TABLE employees (id text PRIMARY KEY, name text);
      CREATE TABLE project_employees (
        project_id int REFERENCES projects, employees text REFERENCES employees,
        PRIMARY KEY (project_id, employees));
      INSERT INTO projects VALUES (1, 'a'), (2, 'b'), (3, 'c');
      INSERT INTO employees VALUES ('none', 'Ada');
      INSERT INTO project_employees VALUES (3, 'none');
      """)
    struct Row: Decodable, Sendable {
      struct Wrapper: Decodable {
        struct Employee: Decodable { var id: UUID }
        var employees: Employee
      }
      var project_employees: [Wrapper]
    }
    let error = await #expect(throws: DecodingError.self) {
      let _: [Row] = try await client.from("projects")
        .select("project_employees(employees(id))").order("id").execute().value
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(context.debugDescription.hasPrefix("[2].project_employees[0].employees.id: "))
  }
}
