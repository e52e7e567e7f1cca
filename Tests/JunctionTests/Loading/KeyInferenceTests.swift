import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Keys of files without a schema")
struct KeyInferenceTests {
  /// What is said of the keys of some files.
  private static func said(_ files: [String: String]) throws -> [String] {
    var said: [String] = []
    try withFiles(files.mapValues { Data($0.utf8) }) { (folder) throws in
      said = try Database(folder: folder.path).notices.map(\.message)
    }
    return said.filter { !$0.contains(" rows read = ") }
  }

  @Test("are found by names, and by the rows")
  func found() throws {
    let said = try Self.said([
      "cities.csv": "id,name\n1,Bonn\n2,Köln\n",
      "people.csv": "id,name,home_city_id,workCityId,parent_id\n7,Ann,1,2,\n8,Bob,2,,7\n",
      "visits.csv": "person,city_id,day\n7,1,2024-01-01\n7,2,2024-01-02\n",
    ])
    #expect(
      said == [
        "cities: primary key (id), inferred", "people: primary key (id), inferred",
        "people: home_city_id references cities (id), inferred",
        "people: workCityId references cities (id), inferred",
        "people: parent_id references people (id), inferred",
        "visits: city_id references cities (id), inferred",
      ])
  }

  @Test("that the rows speak against are named, with how many do")
  func rejected() throws {
    let said = try Self.said([
      "author.csv": "id,name\n1,A\n2,B\n2,C\n,D\n",
      "book.csv": "id,title,author_id,shelf_id\n10,x,1,1\n11,y,5,a\n",
      "shelf.csv": "id,place\n1,here\n2,there\n",
      "copy.csv": "copy_id,book_id\n1,10\n2,12\n3,13\n",
    ])
    #expect(
      said == [
        "author: id is no key: 1 of its values stand there already, 1 of them are missing",
        "book: primary key (id), inferred", "copy: primary key (copy_id), inferred",
        "shelf: primary key (id), inferred",
        "book: author_id names author, which has no key of one column",
        "book: shelf_id → shelf.id: the types differ, so it is no foreign key",
        "copy: book_id → book.id: 2 of 3 values missing, so it is no foreign key",
      ])
  }
}
