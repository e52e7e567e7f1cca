import Testing

@testable import JunctionBench

@Suite("The digest of an answer")
struct AnswerDigestTests {
  private func digest(_ rows: [[String?]], ordered: Bool = false) -> Answer {
    var digest = AnswerDigest(isOrdered: ordered)
    for row in rows {
      for value in row {
        if let value { digest.add(value.utf8) } else { digest.addNull() }
      }
      digest.endRow()
    }
    return digest.answer
  }

  private func json(_ text: String) -> Answer {
    var digest = AnswerDigest(isOrdered: false)
    digest.addJSON(text.utf8)
    digest.endRow()
    return digest.answer
  }

  @Test("is zlib's CRC-32 for one row")
  func oneRow() {
    // zlib.crc32(b"1\x1fAda")
    var sum = CRC32()
    sum.add("123456789".utf8)
    #expect(sum.value == 0xCBF4_3926)
    #expect(digest([["123456789"]]).hex == "00000000cbf43926")
    #expect(digest([["123456789"]], ordered: true).digest == 0xCBF4_3926)
  }

  @Test("takes numbers by their first six digits where it is asked to")
  func digits() {
    func digest(_ text: String) -> Answer {
      var digest = AnswerDigest(isOrdered: false)
      digest.add(text.utf8, .number)
      digest.endRow()
      return digest.answer
    }
    #expect(digest("2.5") == digest("2.5000000000000000"))
    #expect(digest("2.0512820512820513") == digest("2.05128205"))
    #expect(digest("0.0") == digest("-0"))
    #expect(digest("2.5") != digest("2.50001"))
    #expect(digest("1234567").hex == self.digest([["1.23457e+06"]]).hex)
  }

  @Test("does not see the order of rows unless it is asked to")
  func order() {
    let (one, other) = ([["1", "a"], ["2", "b"]], [["2", "b"], ["1", "a"]])
    #expect(digest(one) == digest(other))
    #expect(digest(one, ordered: true) != digest(other, ordered: true))
  }

  @Test("tells values, NULL and rows apart")
  func boundaries() {
    #expect(digest([["ab", "c"]]) != digest([["a", "bc"]]))
    #expect(digest([["a", nil]]) != digest([["a", ""]]))
    #expect(digest([["a"], ["b"]]) != digest([["a", "b"]]))
    #expect(digest([]) == Answer(rows: 0, digest: 0))
  }

  @Test("takes numbers as their decimal digits")
  func numbers() {
    var digest = AnswerDigest(isOrdered: false)
    digest.add(-17)
    digest.endRow()
    #expect(digest.answer == self.digest([["-17"]]))
  }

  @Test("does not see white space in JSON, nor the order of an array's elements")
  func jsonArrays() {
    let compact = json(#"[{"id":1,"name":"A B"},{"id":2,"name":"C, \"D\""}]"#)
    #expect(json(#"[ {"id" : 2, "name" : "C, \"D\""},\#n {"id" : 1, "name" : "A B"} ]"#) == compact)
    #expect(json(#"[{"id":1,"name":"AB"},{"id":2,"name":"C, \"D\""}]"#) != compact)
    #expect(json("[]") == json(" [ ] "))
    #expect(json("[]") != json("[[]]"))
    #expect(json("[1]") != json("[1,1]"))
  }
}
