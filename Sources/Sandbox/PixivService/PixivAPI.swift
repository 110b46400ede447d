import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON

/// The API's calls, for a bearer of an access token.
struct PixivAPI: Sendable {
  let service: PixivServiceContext

  /// Answers a request that came through the gate.
  func answer(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
    let sent = (request.headers["Authorization"] ?? "").split(separator: " ")
    guard sent.count == 2, sent[0].lowercased() == "bearer",
      let caller = try await service.store.access(String(sent[1]), now: service.now),
      // Fresh tokens of a banned account are refused like old ones: a client must not go in circles.
      !caller.isBanned
    else { return PixivAnswer.tokenEnded }
    func field(_ name: String) -> String? { request.query.last { $0.0 == name }?.1 }
    guard request.method == "GET", ["/v1/user/detail", "/v1/user/illusts"].contains(request.path)
    else { return PixivAnswer.apiError(404, "Not Found") }
    guard let id = field("user_id").flatMap(Int64.init) else {
      return PixivAnswer.apiError(400, #"{"user_id":["Please specify."]}"#)
    }
    guard let user = try await service.store.user(id) else {
      return PixivAnswer.apiError(404, "", forPeople: "This user has left, or never was.")
    }
    return request.path == "/v1/user/detail"
      ? detail(user) : works(of: user, from: field("offset").flatMap(Int.init) ?? 0)
  }

  private func detail(_ user: PixivServiceUser) -> HTTPServerResponse {
    PixivAnswer.json([
      "user": .object(person(user)),
      "profile": ["webpage": .null, "total_illusts": JSONValue(user.works), "total_manga": 0],
      "profile_publicity": ["pawoo": true], "workspace": ["pc": ""],
    ])
  }

  /// A page of works, and where the next one is: an address on this host, or `null` at the end.
  private func works(of user: PixivServiceUser, from offset: Int) -> HTTPServerResponse {
    let start = max(0, offset)
    let end = min(user.works, start + service.settings.pageSize)
    let works = start < end ? (start..<end).map { work($0, of: user) } : []
    let next = "\(service.origin)/v1/user/illusts?user_id=\(user.id)&filter=for_ios&offset=\(end)"
    return PixivAnswer.json([
      "user": .object(person(user)), "illusts": .array(works),
      "next_url": end < user.works ? .string(next) : .null,
    ])
  }

  private func work(_ index: Int, of user: PixivServiceUser) -> JSONValue {
    // Newest first: the highest id has the lowest place.
    let id = Int(user.id) * 1000 + user.works - index
    func picture(_ size: String) -> JSONValue {
      .string(PixivPictures.address(service.origin, "work/\(id)_\(size).jpg"))
    }
    return [
      "id": JSONValue(id), "title": .string("Work \(user.works - index)"), "type": "illust",
      "image_urls": [
        "square_medium": picture("square"), "medium": picture("medium"), "large": picture("large"),
      ],
      "user": .object(person(user)), "page_count": JSONValue(index % 2 + 1), "tags": [],
      "create_date": "2026-01-01T00:00:00+09:00", "width": 640, "height": 480,
    ]
  }

  private func person(_ user: PixivServiceUser) -> JSONObject {
    [
      "id": JSONValue(Int(user.id)), "name": .string(user.name), "account": .string(user.account),
      "profile_image_urls": [
        "medium": .string(PixivPictures.address(service.origin, "profile/\(user.id)_170.jpg"))
      ], "comment": "", "is_followed": false,
    ]
  }
}

/// The pictures, which only those get who say that they come from the API's host.
enum PixivPictures {
  private static let base = "/img/"
  private static let referer = "https://app-api.pixiv.net/"

  static func address(_ origin: String, _ name: String) -> String { "\(origin)\(base)\(name)" }

  /// `nil` when the path is no picture's.
  static func answer(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    guard request.method == "GET", request.path.hasPrefix(base) else { return nil }
    guard request.headers["Referer"]?.hasPrefix(referer) == true else {
      return .text("403 Forbidden", status: 403)
    }
    let pictures = SamplePhotos.all
    return HTTPServerResponse(
      status: 200, headers: ["Content-Type": "image/jpeg"],
      body: pictures[request.path.utf8.reduce(0) { $0 &+ Int($1) } % pictures.count].bytes)
  }
}
