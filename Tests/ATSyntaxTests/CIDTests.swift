import ATSyntax
import Testing

@Suite struct CIDTests {
  @Test("a blob's CID is the raw SHA-256 of its bytes")
  func rawBlob() throws {
    // The empty blob: SHA-256 e3b0c442…b855.
    let cid = CID(rawSHA256: [])
    #expect(cid.rawValue == "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku")
    #expect(try CID(cid.rawValue) == cid)
    #expect(cid.codec == .raw)
    #expect(cid.digest.count == 32)
  }

  @Test("an empty record's CID")
  func emptyRecord() {
    #expect(
      CID(dagCBOR: [0xa0]).rawValue == "bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua"
    )
  }

  @Test(
    "other forms are refused",
    arguments: [
      "", ".", "b", "QmcRD4wkPPi6dig81r5sLj9Zm1gDCL4zgpEj9CfuRrGbzF",
      "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyk",
      "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvykua",
      "BAFKREIHDWDCEFGH4DQKJV67UZCMW7OJEE6XEDZDETOJUZJEVTENXQUVYKU",
      // The last character of 36 bytes holds three bits: this one has a fourth.
      "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvykv",
    ])
  func otherForms(text: String) {
    #expect(throws: SyntaxError.malformed(.cid, text)) { _ = try CID(text) }
  }

  @Test("the binary form is read back")
  func binaryForm() {
    let cid = CID(dagCBOR: [0xa0])
    #expect(CID(bytes: cid.bytes) == cid)
    #expect(CID(bytes: cid.bytes.dropLast()) == nil)
    #expect(CID(.dagCBOR, digest: cid.digest) == cid)
    #expect(CID(.raw, digest: []) == nil)
  }
}
