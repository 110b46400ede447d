import HTTPTransport
import Testing

@Suite("Header fields")
struct HTTPHeadersTests {
  @Test(
    "a field is found whatever the spelling of its name (FB-F7)",
    arguments: ["dpop-nonce", "DPoP-Nonce", "DPOP-NONCE"])
  func caseless(name: String) {
    let headers: HTTPHeaders = ["DPoP-Nonce": "n1"]
    #expect(headers[name] == "n1")
    #expect(HTTPHeaders(dictionaryLiteral: (name, "n1"))["DPoP-Nonce"] == "n1")
  }

  @Test("repeated fields are kept one by one and read joined")
  func repeated() {
    var headers: HTTPHeaders = ["WWW-Authenticate": "Bearer"]
    headers.add("www-authenticate", "DPoP error=\"use_dpop_nonce\"")
    #expect(headers.all("WWW-Authenticate") == ["Bearer", "DPoP error=\"use_dpop_nonce\""])
    #expect(headers["WWW-Authenticate"] == "Bearer, DPoP error=\"use_dpop_nonce\"")
    #expect(headers["Missing"] == nil)
  }

  @Test("setting replaces every field of the name, setting nothing removes them")
  func setting() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    headers["a"] = "4"
    #expect(headers == ["B": "2", "a": "4"])
    headers["A"] = nil
    #expect(headers == ["B": "2"])
  }

  @Test("a value cannot forge a field, a name that is no token is left out")
  func injection() {
    let headers: HTTPHeaders = ["A": " x\r\nEvil: 1\0 ", "B C": "2", "": "3", "é": "4"]
    #expect(headers == ["A": "x  Evil: 1"])
  }

  @Test("equality ignores the spelling of names, not order or values")
  func equality() {
    #expect(["A": "1", "B": "2"] as HTTPHeaders == ["a": "1", "b": "2"])
    #expect(["A": "1", "B": "2"] as HTTPHeaders != ["B": "2", "A": "1"])
    #expect(["A": "1"] as HTTPHeaders != ["A": "2"])
  }
}
