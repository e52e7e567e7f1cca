import Junction
import Testing

@Suite("A nested select is filtered by")
struct NestedFilterTests {
  /// A filter of persons and the numbers of those that stay.
  struct Filter: CustomTestStringConvertible {
    let text: String
    let ids: [Int]

    init(_ text: String, _ ids: Int...) {
      self.text = text
      self.ids = ids
    }

    var testDescription: String { text }
  }

  @Test(
    "every operator",
    arguments: [
      Filter("id=eq.1", 1), Filter("id=neq.1", 2, 3), Filter("id=gt.2", 3),
      Filter("id=gte.2", 2, 3),
      Filter("id=lt.2", 1), Filter("id=lte.2", 1, 2), Filter("id=not.gt.1", 1),
      Filter("name=like.A*", 1), Filter("name=like.%25o%25", 2), Filter("name=ilike.*B*", 2),
      Filter("name=match.^[AC]", 1, 3), Filter("name=imatch.^ada$", 1),
      Filter("name=not.like.*a", 2, 3),
      Filter("id=in.(1,3,9)", 1, 3), Filter("id=in.()"), Filter("id=not.in.(1,2)", 3),
      Filter(#"name=in.("Ada","Bob \"B\" O'Neil")"#, 1, 2), Filter("born=is.null", 2),
      Filter("born=not.is.null", 1, 3), Filter("born=is.not_null", 1, 3),
      Filter("boss_id=isdistinct.1", 1), Filter("notes=cs.{\"city\":\"Rome\"}", 3),
      Filter("notes->>city=eq.Rome", 3), Filter("notes->tags->>0=eq.x", 1),
      Filter("id=eq(any).{1,2}", 1, 2), Filter("id=gt(all).{1,2}", 3),
      Filter("name=like(any).{A*,C*}", 1, 3), Filter("shout=eq.ADA", 1),
      Filter("id=gt.1&id=lt.3", 2), Filter("or=(id.eq.1,id.eq.3)", 1, 3),
      Filter(#"or=(notes.cs.{"tags":["x"],"city":"London"},id.eq.2)"#, 1, 2),
      Filter("not.or=(id.eq.1,id.eq.3)", 2), Filter("and=(id.gt.1,or(name.like.Cy*,id.eq.9))", 3),
      Filter("or=(id.not.in.(1,2),not.and(id.eq.2,boss_id.eq.1))", 1, 3),
      Filter(#"or=(name.eq."Ada",name.in.("x,y",Ada))"#, 1), Filter("name=eq.' OR 1=1 --"),
      Filter("name=eq.Bob+%22B%22+O%27Neil", 2),
    ])
  func operators(_ filter: Filter) throws {
    let ids = filter.ids.map { "{\"id\":\($0)}" }.joined(separator: ",")
    try RequestCase("person?select=id&order=id&\(filter.text)", "[\(ids)]").check()
  }

  @Test(
    "arrays of values",
    arguments: [
      RequestCase("book?select=id&tags=cs.{a}", #"[{"id":1}]"#),
      RequestCase("book?select=id&tags=cd.{b,c}", #"[{"id":3}]"#),
      RequestCase("book?select=id&tags=ov.{b,c}&order=id", #"[{"id":1},{"id":3}]"#),
      RequestCase("book?select=id&or=(tags.cs.{a,b},id.eq.2)&order=id", #"[{"id":1},{"id":2}]"#),
    ])
  func arrays(_ example: RequestCase) throws { try example.check() }

  @Test(
    "what is embedded: its own filters, inner joins and tests for presence",
    arguments: [
      RequestCase(
        "book?select=id,chapter(id)&chapter.pages=gt.5&order=id",
        #"[{"id":1,"chapter":[{"id":1}]},{"id":2,"chapter":[]},{"id":3,"chapter":[]}]"#),
      RequestCase(
        "book?select=id,chapter!inner(id)&chapter.pages=gt.5", #"[{"id":1,"chapter":[{"id":1}]}]"#),
      RequestCase("genre?select=id,book!inner()&book.title=eq.Loops", #"[{"id":1}]"#),
      RequestCase(
        "genre?select=id,book!inner(chapter!inner())&book.chapter.name=eq.Two&order=id",
        #"[{"id":1},{"id":2}]"#),
      RequestCase("genre?select=id,book()&book=is.null", #"[{"id":3}]"#),
      RequestCase("genre?select=id,book()&book=not.is.null&order=id", #"[{"id":1},{"id":2}]"#),
      RequestCase(
        "genre?select=id,book()&book.title=eq.Loops&book=is.null&order=id", #"[{"id":2},{"id":3}]"#),
      RequestCase(
        "genre?select=id,book()&or=(book.is.null,label.eq.art)&order=id", #"[{"id":2},{"id":3}]"#),
      RequestCase("book?select=id,book_author()&book_author=is.null", #"[{"id":3}]"#),
      RequestCase(
        "book?select=id,w:book_author!inner(id)&w.name=eq.Ada&order=id",
        #"[{"id":1,"w":{"id":1}},{"id":2,"w":{"id":1}}]"#),
      RequestCase(
        "book?select=id,author_id(id)&author_id=eq.1&order=id",
        #"[{"id":1,"author_id":{"id":1}},{"id":2,"author_id":{"id":1}}]"#),
      RequestCase(
        "book?select=id,chapter(id)&chapter.or=(id.eq.1,name.eq.Two)&id=eq.1&chapter.order=id",
        #"[{"id":1,"chapter":[{"id":1},{"id":2}]}]"#),
      RequestCase(
        "person?select=id,book!loan!inner(id)&order=id&limit=1", #"[{"id":2,"book":[{"id":1}]}]"#),
    ])
  func embedded(_ example: RequestCase) throws { try example.check() }
}
