import Junction
import Testing

@Suite("A nested select gives")
struct NestedSelectTests {
  @Test(
    "columns in the order of the request, with aliases, casts and steps into JSON",
    arguments: [
      RequestCase(
        "genre?order=id",
        #"[{"id":1,"label":"fact"},{"id":2,"label":"art"},{"id":3,"label":"none"}]"#),
      RequestCase("genre?select=label,id&id=eq.2", #"[{"label":"art","id":2}]"#),
      RequestCase("genre?select=n:id::text, label&id=eq.2", #"[{"n":"2","label":"art"}]"#),
      RequestCase("genre?select=&id=lt.3", "[{},{}]"),
      RequestCase("person?select=name&id=eq.2", #"[{"name":"Bob \"B\" O'Neil"}]"#),
      RequestCase(
        "person?select=notes->>city,first:notes->tags->0,notes->tags->>-1&id=eq.1",
        #"[{"city":"London","first":"x","tags":"y"}]"#),
      RequestCase("book?select=tags->0&id=eq.1", #"[{"tags":"a"}]"#),
      RequestCase("person?select=shout&id=eq.1", #"[{"shout":"ADA"}]"#),
      RequestCase("person?select=name,name&id=eq.1", #"[{"name":"Ada","name":"Ada"}]"#),
      RequestCase("cheap", #"[{"id":2,"title":"Loops"}]"#),
      RequestCase("public.genre?id=eq.3&select=label", #"[{"label":"none"}]"#),
    ])
  func columns(_ example: RequestCase) throws { try example.check() }

  @Test(
    "an object or null for one row, an array for many, empty for none",
    arguments: [
      RequestCase(
        "book?select=title,book_author(name)&order=id",
        #"[{"title":"Engines","book_author":{"name":"Ada"}},{"title":"Loops","book_author":{"name":"Ada"}},{"title":"Orphan","book_author":null}]"#
      ),
      RequestCase(
        "person?select=id,passport(code)&order=id",
        #"[{"id":1,"passport":{"code":"P1"}},{"id":2,"passport":null},{"id":3,"passport":{"code":"P3"}}]"#
      ),
      RequestCase(
        "book?select=id,chapter(name)&order=id&chapter.order=id",
        #"[{"id":1,"chapter":[{"name":"One"},{"name":"Two"}]},{"id":2,"chapter":[{"name":"Solo"}]},{"id":3,"chapter":[]}]"#
      ),
      RequestCase(
        "genre?select=label,book(title)&order=id&book.order=title",
        #"[{"label":"fact","book":[{"title":"Engines"},{"title":"Loops"}]},{"label":"art","book":[{"title":"Engines"}]},{"label":"none","book":[]}]"#
      ),
      RequestCase(
        "book?select=id,book_genre(weight,genre(label))&id=eq.1&book_genre.order=weight",
        #"[{"id":1,"book_genre":[{"weight":1,"genre":{"label":"art"}},{"weight":9,"genre":{"label":"fact"}}]}]"#
      ),
      RequestCase(
        "genre?select=book(person!loan(name,passport(code)))&id=eq.2&book.person.order=id",
        #"[{"book":[{"person":[{"name":"Bob \"B\" O'Neil","passport":null},{"name":"Cy\\n","passport":{"code":"P3"}}]}]}]"#
      ),
      RequestCase("genre?select=id,book()&id=eq.1", #"[{"id":1}]"#),
      RequestCase("genre?select=id,book(chapter())&id=eq.1", #"[{"id":1}]"#),
    ])
  func embeds(_ example: RequestCase) throws { try example.check() }

  @Test(
    "the relationship that a column, a constraint, a junction or a hint names",
    arguments: [
      RequestCase(
        "book?select=author_id(id),editor_id(id)&id=eq.1",
        #"[{"author_id":{"id":1},"editor_id":{"id":2}}]"#),
      RequestCase(
        "person?select=wrote:book!author_id(id)&id=eq.1&wrote.order=id",
        #"[{"wrote":[{"id":1},{"id":2}]}]"#),
      RequestCase("person?select=book!book_editor(id)&id=eq.2", #"[{"book":[{"id":1}]}]"#),
      RequestCase("person?select=book!loan(id)&id=eq.2", #"[{"book":[{"id":1}]}]"#),
      RequestCase("person?select=boss_id(name)&id=eq.2", #"[{"boss_id":{"name":"Ada"}}]"#),
      RequestCase("person?select=person_boss(name)&id=eq.2", #"[{"person_boss":{"name":"Ada"}}]"#),
      RequestCase(
        "person?select=staff:person!boss_id(id)&id=eq.1&staff.order=id",
        #"[{"staff":[{"id":2},{"id":3}]}]"#),
      RequestCase(
        "person?select=fans:person!follower_id(id),idols:person!followed_id(id)&id=eq.1&fans.order=id",
        #"[{"fans":[{"id":2},{"id":3}],"idols":[{"id":3}]}]"#),
    ])
  func hints(_ example: RequestCase) throws { try example.check() }

  @Test(
    "the columns of a spread, as arrays if there are many rows",
    arguments: [
      RequestCase(
        "book?select=id,...book_author(author:name,...passport(code))&order=id",
        #"[{"id":1,"author":"Ada","code":"P1"},{"id":2,"author":"Ada","code":"P1"},{"id":3,"author":null,"code":null}]"#
      ),
      RequestCase(
        "book?select=id,...chapter(name,pages)&order=id&chapter.order=name.desc",
        #"[{"id":1,"name":["Two","One"],"pages":[5,10]},{"id":2,"name":["Solo"],"pages":[null]},{"id":3,"name":[],"pages":[]}]"#
      ),
      RequestCase(
        "genre?select=id,...book(title,chapter(id))&id=lt.3&order=id&book.order=id&book.chapter.order=id",
        #"[{"id":1,"title":["Engines","Loops"],"chapter":[[{"id":1},{"id":2}],[{"id":3}]]},{"id":2,"title":["Engines"],"chapter":[[{"id":1},{"id":2}]]}]"#
      ),
      RequestCase(
        "book?select=...chapter(name)&id=eq.1&chapter.order=pages&chapter.limit=1",
        #"[{"name":["Two"]}]"#),
    ])
  func spreads(_ example: RequestCase) throws { try example.check() }

  @Test(
    "rows in order, within limits, on every level",
    arguments: [
      RequestCase(
        "person?select=id&order=born.desc.nullslast,id", #"[{"id":3},{"id":1},{"id":2}]"#),
      RequestCase("person?select=id&order=born.nullsfirst", #"[{"id":2},{"id":1},{"id":3}]"#),
      RequestCase("person?select=id&order=notes->>city.desc", #"[{"id":2},{"id":3},{"id":1}]"#),
      RequestCase("person?select=id&order=id&limit=1&offset=1", #"[{"id":2}]"#),
      RequestCase("person?select=id&limit=0", "[]"),
      RequestCase(
        "book?select=id,chapter(id)&order=id.desc&limit=2&offset=1&chapter.order=id.desc&chapter.limit=1",
        #"[{"id":2,"chapter":[{"id":3}]},{"id":1,"chapter":[{"id":2}]}]"#),
      RequestCase(
        "book?select=id,chapter(id)&id=eq.1&chapter.order=id&chapter.offset=1",
        #"[{"id":1,"chapter":[{"id":2}]}]"#),
      RequestCase(
        "chapter?select=id,book(title)&order=book(title).desc,id",
        #"[{"id":3,"book":{"title":"Loops"}},{"id":1,"book":{"title":"Engines"}},{"id":2,"book":{"title":"Engines"}}]"#
      ),
      RequestCase(
        "chapter?select=id,book(id)&order=book(price),id.desc&limit=2",
        #"[{"id":3,"book":{"id":2}},{"id":2,"book":{"id":1}}]"#),
    ])
  func orders(_ example: RequestCase) throws { try example.check() }

  @Test("as many embeds as a request may have, beside and within each other")
  func manyEmbeds() throws {
    let wide = (0..<100).map { "a\($0):boss_id(id)" }.joined(separator: ",")
    let members = (0..<100).map { "\"a\($0)\":{\"id\":1}" }.joined(separator: ",")
    try RequestCase("person?select=\(wide)&id=eq.2", "[{\(members)}]").check()
    let deep =
      String(repeating: "id,boss_id(", count: 24) + "id" + String(repeating: ")", count: 24)
    try RequestCase(
      "person?select=\(deep)&id=eq.2", #"[{"id":2,"boss_id":{"id":1,"boss_id":null}}]"#
    ).check()
  }

  @Test(
    "groups and counts",
    arguments: [
      RequestCase("chapter?select=count()", #"[{"count":3}]"#),
      RequestCase(
        "chapter?select=book_id,n:count(),pages.sum()&order=book_id",
        #"[{"book_id":1,"n":2,"sum":15},{"book_id":2,"n":1,"sum":null}]"#),
      RequestCase("chapter?select=pages.max()::text,pages.avg()::int", #"[{"max":"10","avg":8}]"#),
      RequestCase(
        "book?select=id,chapter(count)&order=id",
        #"[{"id":1,"chapter":[{"count":2}]},{"id":2,"chapter":[{"count":1}]},{"id":3,"chapter":[{"count":0}]}]"#
      ),
      RequestCase(
        "genre?select=label,book(count(),price.sum())&order=id",
        #"[{"label":"fact","book":[{"count":2,"sum":17.50}]},{"label":"art","book":[{"count":1,"sum":10.50}]},{"label":"none","book":[{"count":0,"sum":null}]}]"#
      ),
      RequestCase(
        "chapter?select=...book(...book_author(author:name)),pages.sum()",
        #"[{"author":"Ada","sum":15}]"#),
      RequestCase(
        "book?select=author:book_author(name),count()&order=count.desc",
        #"[{"author":{"name":"Ada"},"count":2},{"author":null,"count":1}]"#),
      RequestCase("book?select=...book_author(n:count())", #"[{"n":2}]"#),
    ])
  func aggregates(_ example: RequestCase) throws { try example.check() }
}
