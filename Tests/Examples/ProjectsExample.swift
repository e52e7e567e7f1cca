import Foundation
import Junction
import JunctionFoundation
import Observation
import Testing

// Projects and employees with UUIDs, in the layers of an app: models of tables, DTOs of answers, a service, a view model.

// MARK: - Models

struct Project: Codable, Identifiable, Equatable, Sendable {
  let id: UUID
  let name: String
}

struct Employee: Codable, Identifiable, Equatable, Sendable {
  let id: UUID
  let name: String
}

// MARK: - DTOs

/// What the nested select answers: a wrapper for each row of the junction table.
struct ProjectWithEmployeesDTO: Codable, Sendable {
  let id: UUID
  let name: String
  let project_employees: [ProjectEmployeeWrapper]
}

struct ProjectEmployeeWrapper: Codable, Sendable { let employees: Employee }

extension ProjectWithEmployeesDTO {
  func toProjectDetail() -> ProjectDetail {
    ProjectDetail(id: id, name: name, employees: project_employees.map { $0.employees })
  }
}

/// What a view shows; it is also a select list without the wrapper.
struct ProjectDetail: Decodable, Identifiable, Equatable, Sendable {
  let id: UUID
  let name: String
  let employees: [Employee]
}

// MARK: - Service

struct ProjectService: Sendable {
  let client: Database

  func fetchProjects() async throws -> [Project] {
    try await client.from("projects").select().order("name").execute().value
  }

  func fetchProjectDetails() async throws -> [ProjectDetail] {
    let response: [ProjectWithEmployeesDTO] =
      try await client
      .from("projects")
      .select(
        """
        id,
        name,
        project_employees (
          employees (
            id,
            name
          )
        )
        """
      )
      .order("name")
      .execute()
      .value
    return response.map { $0.toProjectDetail() }
  }

  /// The same without a wrapper: the junction table need not be named.
  func fetchFlat() async throws -> [ProjectDetail] {
    try await client.from("projects").select("id, name, employees(id, name)").order("name")
      .order("id", referencedTable: "employees").execute().value
  }

  func createProject(name: String) async throws -> Project {
    try await client.from("projects").insert(Project(id: UUID(), name: name)).select().single()
      .execute().value
  }

  func assignEmployee(projectID: UUID, employeeID: UUID) async throws {
    let relation = ["project_id": projectID, "employee_id": employeeID]
    try await client.from("project_employees").insert(relation).execute()
  }
}

// MARK: - View model

@MainActor @Observable
final class ProjectViewModel {
  var projects: [ProjectDetail] = []
  var message: String?
  private let service: ProjectService

  init(_ service: ProjectService) { self.service = service }

  func loadProjects() async {
    do {
      projects = try await service.fetchProjectDetails()
    } catch {
      message = "Error: \(error)"
    }
  }
}

// MARK: - What comes of it

@Suite("Example: projects and employees")
struct ProjectsExample {
  private let service: ProjectService

  init() throws { service = ProjectService(client: try Datasets.projects.get().fork()) }

  @Test("fetches projects, alone and with their employees")
  func fetching() async throws {
    #expect(try await service.fetchProjects().map(\.name) == ["Apollo", "Borealis", "Calypso"])
    let details = try await service.fetchProjectDetails()
    #expect(
      details.map { $0.employees.map(\.name).sorted() } == [["Ines", "Jo"], ["Jo", "Kim"], []])
    let flat = try await service.fetchFlat()
    #expect(flat.map { Set($0.employees.map(\.id)) } == details.map { Set($0.employees.map(\.id)) })
  }

  @Test("creates a project whose id the program makes, and assigns somebody")
  func creating() async throws {
    let gemini = try await service.createProject(name: "Gemini")
    #expect(try await service.fetchProjects().contains(gemini))
    let employees: [Employee] = try await service.client.from("employees").select().execute().value
    let kim = try #require(employees.first { $0.name == "Kim" })
    try await service.assignEmployee(projectID: gemini.id, employeeID: kim.id)
    let found = try await service.fetchProjectDetails().first { $0.id == gemini.id }
    #expect(found?.employees == [kim])
    // The pair is the key, so that nobody is assigned twice.
    let error = await #expect(throws: NestedSelectError.self) {
      try await service.assignEmployee(projectID: gemini.id, employeeID: kim.id)
    }
    #expect(error?.code == "23505")
  }

  @Test("goes from the other side as well")
  func reverse() async throws {
    struct EmployeeWithProjects: Decodable, Sendable {
      let name: String
      let projects: [Project]
    }
    let employees: [EmployeeWithProjects] = try await service.client.from("employees")
      .select("name, projects(id, name)").order("name").order("name", referencedTable: "projects")
      .execute().value
    #expect(
      employees.map { $0.projects.map(\.name) } == [
        ["Apollo"], ["Apollo", "Borealis"], ["Borealis"],
      ])
  }

  @Test("has ids that the database makes, prints them in lower case, and refuses what is none")
  func ids() async throws {
    let made: Project = try await service.client.from("projects").insert(["name": "Made"]).select()
      .single().execute().value
    #expect(made.name == "Made")
    let text = try service.client.fetchOne(
      String.self, "SELECT id::text FROM projects WHERE id = \(made.id)")
    #expect(text == made.id.uuidString.lowercased())
    let error = await #expect(throws: NestedSelectError.self) {
      try await service.client.from("projects").insert(["id": "nope", "name": "x"]).execute()
    }
    #expect(error?.code == "22P02")
    #expect(error?.message == #"invalid input syntax for type uuid: "nope""#)
  }

  @Test("loads on the main actor, and shows where an answer does not fit its type")
  @MainActor func viewModel() async throws {
    let model = ProjectViewModel(service)
    await model.loadProjects()
    #expect(model.projects.count == 3)
    #expect(model.message == nil)

    struct Wrong: Decodable, Sendable {
      struct Wrapper: Decodable {
        struct Employee: Decodable { let id: Int }
        let employees: Employee
      }
      let project_employees: [Wrapper]
    }
    let error = await #expect(throws: DecodingError.self) {
      let _: [Wrong] = try await service.client.from("projects")
        .select("project_employees(employees(id))").order("name", ascending: false)
        .order("employee_id", referencedTable: "project_employees").execute().value
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(context.debugDescription.hasPrefix("[1].project_employees[0].employees.id: "))
  }
}
