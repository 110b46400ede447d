"""Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

Objects a core sends may have more members than are named here; objects sent to it may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, Protocol, TypedDict
from typing import Union, overload

if TYPE_CHECKING:
    # Type checkers bring this with them; nothing imports it when the program runs.
    from typing_extensions import NotRequired

#: The revision of the schemas these types were generated from.
SCHEMA_REVISION = 7


# MARK: What all have in common


class IntentMeta(TypedDict):
    """Conditions on an intent."""

    #: The revision the person was looking at, by model; a newer one refuses the intent with
    #: intent.stale.
    ifRevision: NotRequired[Dict[str, int]]


class IntentVerdict(TypedDict):
    """The intent was accepted."""

    #: Always true: a refusal is a JSON-RPC error.
    accepted: Literal[True]
    #: An equal operation is already running; nothing new was started.
    joined: NotRequired[Literal[True]]
    #: The operation that goes on after this answer.
    operation: NotRequired[str]
    #: The first revision that contains the change, by model.
    revisions: Dict[str, int]


class Media(TypedDict):
    """Where the picture is, and how large it is shown."""

    #: https or file URL; a file's path is absolute, and recordings leave it out.
    uri: str
    #: Pixels across, orientation applied; absent while unknown.
    width: NotRequired[int]
    #: Pixels down, orientation applied; absent while unknown.
    height: NotRequired[int]
    #: The picture in words, for people who cannot see it.
    alt: NotRequired[str]


class Message(TypedDict):
    """A sentence for the person."""

    #: The name of the sentence in the shell's catalogue.
    key: str
    #: What the sentence mentions.
    params: Dict[str, Union[str, int]]
    #: The sentence in English, complete.
    fallback: str


class ModelHeader(TypedDict):
    """The members every state begins with."""

    #: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
    #: core is at work), waiting (for the person or the shell), failed (problem says why), done
    #: (what this model is about has succeeded); closed for all of version 1.
    status: ModelStatus
    #: The precise state; each model lists its own.
    phase: str
    #: The intents accepted now; the shell enables exactly these controls.
    can: List[IntentName]
    #: The id of a running operation.
    operation: NotRequired[str]
    #: The last failure that was not dismissed yet.
    problem: NotRequired[Problem]

#: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the core
#: is at work), waiting (for the person or the shell), failed (problem says why), done (what this
#: model is about has succeeded); closed for all of version 1.
ModelStatus = Literal["idle", "busy", "waiting", "failed", "done"]

#: The name of an intent.
#: One of login.start, login.setHandle, login.highlight, login.submitHandle, login.submit,
#: login.createAccount, login.callback, login.submitToken, login.cancel, login.dismissProblem,
#: accounts.switch, accounts.reauthenticate, accounts.move, accounts.delete, accounts.signOut,
#: accounts.unlock, devices.refresh, devices.revoke, devices.setPush, gallery.createDraft,
#: gallery.editPublished, gallery.deletePublished, gallery.retryCrossPost, gallery.addPhotos,
#: gallery.setDetails, gallery.setAlt, gallery.movePhoto, gallery.removePhoto, gallery.publish,
#: gallery.cancelPublish, gallery.retry, gallery.discardDraft, shell.setVisibility,
#: shell.notificationActivated; more may come.
IntentName = str


class Problem(TypedDict):
    """A failure as a state and operations/ended show it."""

    #: The number of the kind; negative ones are JSON-RPC's own block.
    code: int
    #: The stable machine name; an unknown one is shown by message.fallback.
    kind: ErrorKind
    #: Whether the same call may succeed later without changes.
    retryable: bool
    #: A sentence for the person.
    message: Message
    #: The parameter at fault, as a JSON Pointer into params.
    field: NotRequired[str]
    #: How long the server asked to wait, in milliseconds.
    retryAfterMs: NotRequired[int]
    #: Facts for programs, by kind; never null, never a secret.
    details: NotRequired[Dict[str, Any]]
    #: The kind of failure behind this one.
    cause: NotRequired[ErrorKind]


class ErrorData(TypedDict):
    """The data of a JSON-RPC error: a problem whose code the error itself has."""

    #: The stable machine name; an unknown one is shown by message.fallback.
    kind: ErrorKind
    #: Whether the same call may succeed later without changes.
    retryable: bool
    #: A sentence for the person.
    message: Message
    #: The parameter at fault, as a JSON Pointer into params.
    field: NotRequired[str]
    #: How long the server asked to wait, in milliseconds.
    retryAfterMs: NotRequired[int]
    #: Facts for programs, by kind; never null, never a secret.
    details: NotRequired[Dict[str, Any]]
    #: The kind of failure behind this one.
    cause: NotRequired[ErrorKind]

#: The stable machine name; an unknown one is shown by message.fallback.
#: One of frame.invalidJson, frame.invalidUtf8, frame.tooLarge, frame.tooDeep, frame.duplicateKey,
#: rpc.notAnObject, rpc.batch, rpc.badId, rpc.duplicateId, rpc.invalidRequest, rpc.unknownMethod,
#: rpc.invalidParams, core.internal, protocol.unsupportedVersion, protocol.notInitialized,
#: protocol.alreadyInitialized, protocol.shuttingDown, protocol.overloaded,
#: protocol.unknownSubscription, protocol.unknownModel, protocol.unknownOperation,
#: request.cancelled, intent.stale, intent.notAvailable, intent.busy, login.handleInvalid,
#: login.handleNotFound, login.identityUnreachable, login.serverUnsupported, login.denied,
#: login.callbackMismatch, login.expired, login.noServer, login.clientUnavailable,
#: login.identityMismatch, login.providerUnavailable, login.serverInvalid, login.tokenInvalid,
#: login.codeSpent, account.unknown, account.sessionExpired, account.scopeMissing,
#: gallery.draftUnknown, gallery.noPhotos, gallery.titleMissing, gallery.titleTooLong,
#: gallery.photoUnsupported, gallery.photoTooLarge, gallery.photoUnreadable, gallery.tooManyPhotos,
#: gallery.textTooLong, gallery.uploadFailed, gallery.commitFailed, gallery.crossPostFailed,
#: gallery.changedElsewhere, gallery.unknown, network.offline, network.timeout, network.tls,
#: server.error, server.rateLimited, server.badResponse, store.locked, store.corrupt, store.full,
#: store.unwritable, store.newer, keyring.locked, keyring.unavailable, effect.unsupported,
#: effect.failed, effect.denied, effect.busy; more may come.
ErrorKind = str


# MARK: Models


class LoginState(TypedDict):
    """The whole state of the sign-in screen."""

    #: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
    #: core is at work), waiting (for the person or the shell), failed (problem says why), done
    #: (what this model is about has succeeded); closed for all of version 1.
    status: ModelStatus
    #: The precise state: signedOut (the form is closed), enteringHandle (it is open, for whatever
    #: the chosen provider needs), resolving (the handle is being looked up), contacting (the
    #: account's server is asked for a sign-in page), waitingForBrowser (the page is open),
    #: exchanging (the browser came back; tokens are being fetched), signedIn (the account is in
    #: the list), failed (problem says why).
    phase: str
    #: The intents accepted now; the shell enables exactly these controls.
    can: List[IntentName]
    #: The id of a running operation.
    operation: NotRequired[str]
    #: The last failure that was not dismissed yet.
    problem: NotRequired[Problem]
    #: Why the person is asked to sign in again, if there is more to say than that nobody is.
    reason: NotRequired[Message]
    #: The keys, in the order of the list.
    providerOrder: NotRequired[List[str]]
    #: The ways to sign in; left out where there is nothing to choose.
    provider: NotRequired[Dict[str, LoginProvider]]
    #: With whom the open form, or the running sign-in, signs in; left out at rest and where there
    #: is nothing to choose.
    chosen: NotRequired[str]
    #: The text of the handle field, as typed.
    handle: str
    #: The keys, in the order of the list.
    suggestionOrder: List[str]
    #: Accounts whose handle begins like the text.
    suggestion: Dict[str, LoginSuggestion]
    #: The key of the suggestion the keyboard is on.
    highlighted: NotRequired[str]
    #: The host whose sign-in page is, or will be, shown.
    serverHost: NotRequired[str]
    #: The code to type at verificationUrl (device grant).
    userCode: NotRequired[str]
    #: The page to open on another device (device grant).
    verificationUrl: NotRequired[str]


class LoginProvider(TypedDict):
    """One way to sign in."""

    #: Whether it can be used on this machine with this shell.
    available: bool
    #: Why it cannot.
    reason: NotRequired[Message]
    #: What the person has to enter first.
    needs: str


class LoginSuggestion(TypedDict):
    """One account the person may mean."""

    #: Without the at sign.
    handle: str
    #: As the account's owner wrote it.
    displayName: NotRequired[str]
    #: Where the picture is, and how large it is shown.
    avatar: NotRequired[Media]


class AccountsState(TypedDict):
    """The whole list."""

    #: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
    #: core is at work), waiting (for the person or the shell), failed (problem says why), done
    #: (what this model is about has succeeded); closed for all of version 1.
    status: ModelStatus
    #: The precise state: restoring (the store is being read, or cannot be opened yet), empty
    #: (nobody has signed in), ready (the list is complete), switching (another account is becoming
    #: the active one).
    phase: str
    #: The intents accepted now; the shell enables exactly these controls.
    can: List[IntentName]
    #: The id of a running operation.
    operation: NotRequired[str]
    #: The last failure that was not dismissed yet.
    problem: NotRequired[Problem]
    #: The state of the session machine; closed.
    session: Literal["restoring", "signedOut", "authenticating", "signedIn", "refreshing", "revoked"]
    #: Why the session is what it is, where the person should know.
    sessionReason: NotRequired[Message]
    #: The keys, in the order of the list.
    accountOrder: List[str]
    #: The accounts, by id.
    account: Dict[str, AccountsAccount]
    #: The id of the active account.
    active: NotRequired[str]
    #: How many accounts there are, where only the first of them and the active one fit into a
    #: message of this shell. Absent where all are here.
    accountCount: NotRequired[int]


class AccountsAccount(TypedDict):
    """One account."""

    #: Who the account is with.
    provider: str
    #: Without the at sign; absent while unverified, and then the id is shown.
    handle: NotRequired[str]
    #: As the account's owner wrote it.
    displayName: NotRequired[str]
    #: Where the picture is, and how large it is shown.
    avatar: NotRequired[Media]
    #: Whether the account can be used: ok (signed in), expired (the session ended; signing in
    #: again brings it back), scopeMissing (signed in, but some features were not granted),
    #: inactive (the server has deactivated or taken down the account).
    standing: str
    #: The features whose scope was not granted: publish, exif, edit, crossPost, comment, favorite,
    #: follow, block, story, profile, appview.
    unavailable: List[str]
    #: The intents this account accepts now.
    can: List[IntentName]


class DraftsState(TypedDict):
    """The whole list."""

    #: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
    #: core is at work), waiting (for the person or the shell), failed (problem says why), done
    #: (what this model is about has succeeded); closed for all of version 1.
    status: ModelStatus
    #: The precise state.
    phase: str
    #: The intents accepted now; the shell enables exactly these controls.
    can: List[IntentName]
    #: The id of a running operation.
    operation: NotRequired[str]
    #: The last failure that was not dismissed yet.
    problem: NotRequired[Problem]
    #: The keys, in the order of the list.
    draftOrder: List[str]
    #: The drafts, by id.
    draft: Dict[str, DraftsDraft]
    #: How many drafts there are, where only those changed last fit into a message of this shell.
    #: Absent where all are here.
    draftCount: NotRequired[int]


class DraftsDraft(TypedDict):
    """One draft."""

    #: What it becomes.
    kind: str
    #: As typed; empty until the person has typed one.
    title: str
    #: How many photos it holds.
    photoCount: int
    #: Time of the last change.
    updatedAt: str
    #: When it will be deleted; absent while a publish is unfinished.
    expiresAt: NotRequired[str]
    #: Whether a publish was started and can be continued.
    resumable: bool


class DevicesState(TypedDict):
    """The whole list."""

    #: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
    #: core is at work), waiting (for the person or the shell), failed (problem says why), done
    #: (what this model is about has succeeded); closed for all of version 1.
    status: ModelStatus
    #: The precise state.
    phase: str
    #: The intents accepted now; the shell enables exactly these controls.
    can: List[IntentName]
    #: The id of a running operation.
    operation: NotRequired[str]
    #: The last failure that was not dismissed yet.
    problem: NotRequired[Problem]
    #: The keys, in the order of the list.
    clientOrder: List[str]
    #: The devices and apps, by id.
    client: Dict[str, DevicesClient]
    #: Whether more can use the account than is listed: the server does not list browser sessions.
    incomplete: bool
    #: How many devices and apps there are, where only the first of them and this one fit into a
    #: message of this shell. Absent where all are here.
    clientCount: NotRequired[int]


class DevicesArgs(TypedDict):
    """Whose."""

    #: The account's id.
    account: str


class DevicesClient(TypedDict):
    """One device or app."""

    #: A device can get push messages, an app cannot.
    kind: str
    #: As it was named when it signed in.
    name: str
    #: The system it runs on, as the server says it.
    platform: NotRequired[str]
    #: When it signed in; absent where the service does not say.
    createdAt: NotRequired[str]
    #: When it was seen last; absent while it never was.
    lastUsedAt: NotRequired[str]
    #: Whether this is the one in use here; revoking it signs out.
    current: bool
    #: The intents this one accepts now.
    can: List[IntentName]


class GalleryPublishState(TypedDict):
    """The whole draft and its publish."""

    #: Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
    #: core is at work), waiting (for the person or the shell), failed (problem says why), done
    #: (what this model is about has succeeded); closed for all of version 1.
    status: ModelStatus
    #: The precise state.
    phase: str
    #: The intents accepted now; the shell enables exactly these controls.
    can: List[IntentName]
    #: The id of a running operation.
    operation: NotRequired[str]
    #: The last failure that was not dismissed yet.
    problem: NotRequired[Problem]
    #: As typed.
    title: str
    #: As typed.
    description: str
    #: The author's content labels.
    labels: List[str]
    #: A place.
    location: NotRequired[GalleryPublishLocation]
    #: Whether camera data is published with the photos.
    includeExif: bool
    #: Whether a post on Bluesky follows.
    crossPost: bool
    #: The keys, in the order of the list.
    photoOrder: List[str]
    #: The photos, by id.
    photo: Dict[str, GalleryPublishPhoto]
    #: Whole percent of the publish, rounded down; absent while it cannot be told.
    percent: NotRequired[int]
    #: The at-uri of the gallery, once it is published.
    publishedUri: NotRequired[str]
    #: What became of the post on Bluesky; absent unless one was asked for and its turn has come.
    crossPostStatus: NotRequired[str]
    #: How many photos the draft has, where only the first of them fit into a message of this
    #: shell; the others are kept and published all the same. Absent where all are here.
    photoCount: NotRequired[int]
    #: The texts of which only the beginning fits into a message of this shell, as JSON Pointers
    #: into this state; the whole is kept and published. Absent where all are whole.
    cut: NotRequired[List[str]]


class GalleryPublishArgs(TypedDict):
    """Which draft."""

    #: The draft's id.
    draft: str


class GalleryPublishPhoto(TypedDict):
    """One photo of the draft."""

    #: The prepared copy, or the original until there is one.
    media: Media
    #: The photo in words, for people who cannot see it; empty until typed.
    alt: str
    #: How far it has come: waiting (not looked at yet), preparing (being read, measured, stripped
    #: and resized), ready (its publishable copy is on disk), uploading, uploaded (the server has
    #: it), failed (problem says why); an unknown step is shown as waiting.
    step: str
    #: Why this photo cannot go on.
    problem: NotRequired[Problem]


class GalleryPublishLocation(TypedDict):
    """A place."""

    #: The H3 cell at resolution 10.
    h3: str
    #: What the place is called.
    name: str
    #: Where that is.
    address: NotRequired[GalleryPublishAddress]


class GalleryPublishAddress(TypedDict):
    """The place's postal address, as far as it is known."""

    #: Usually the ISO 3166 code in upper case.
    country: str
    #: As written in that country.
    postalCode: NotRequired[str]
    #: State, province or the like.
    region: NotRequired[str]
    #: Town or city.
    locality: NotRequired[str]
    #: Number and road.
    street: NotRequired[str]
    #: What stands there, such as a station.
    name: NotRequired[str]


# MARK: Intents


class LoginStartParams(TypedDict):
    """What the intent needs."""

    #: With whom; grain if left out.
    provider: NotRequired[Literal["grain", "platrium", "pixiv"]]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginSetHandleParams(TypedDict):
    """What the intent needs."""

    #: As typed: with or without @, or a DID.
    handle: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginHighlightParams(TypedDict):
    """What the intent needs."""

    #: Where to.
    move: Literal["next", "previous", "none"]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginSubmitHandleParams(TypedDict):
    """What the intent needs."""

    #: As typed: with or without @, or a DID.
    handle: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginSubmitParams(TypedDict):
    """What the intent needs."""

    #: The server's address, as typed; the provider's own if left out.
    server: NotRequired[str]
    #: Signs in as a device, which can get push messages; as an app if left out.
    device: NotRequired[LoginSubmitDevice]
    #: How the person agrees; browser if left out.
    grant: NotRequired[Literal["browser", "deviceCode"]]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginSubmitDevice(TypedDict):
    """What the account's list of devices shows."""

    #: What the person calls it.
    name: str
    #: The system it runs on, such as LINUX.
    platform: str
    #: The shell's version.
    appVersion: NotRequired[str]


class LoginCreateAccountParams(TypedDict):
    """What the intent needs. Only with the feature login.createAccount."""

    #: With whom; grain if left out.
    provider: NotRequired[Literal["grain", "platrium", "pixiv"]]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginCallbackParams(TypedDict):
    """What the intent needs."""

    #: The one field that may carry a callback URL; it is never echoed.
    callbackUrl: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginSubmitTokenParams(TypedDict):
    """What the intent needs."""

    #: The address of the server that made the token, as typed; the configured one if left out.
    server: NotRequired[str]
    #: A field that may carry a secret, because the person pastes it; it is never echoed.
    token: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginCancelParams(TypedDict):
    """What the intent needs."""

    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class LoginDismissProblemParams(TypedDict):
    """What the intent needs."""

    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class AccountsSwitchParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class AccountsReauthenticateParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class AccountsMoveParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: The account to stand in front of; to the end if left out.
    before: NotRequired[str]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class AccountsDeleteParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: The account's handle, as the person typed it after a warning that galleries, profile and
    #: drafts go for good; the account's id where it has no handle.
    confirm: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class AccountsSignOutParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: Delete the account's drafts as well; false if left out.
    discardDrafts: NotRequired[bool]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class AccountsUnlockParams(TypedDict):
    """What the intent needs."""

    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class DevicesRefreshParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class DevicesRevokeParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: The device's or app's id.
    client: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class DevicesSetPushParams(TypedDict):
    """What the intent needs."""

    #: The account's id.
    account: str
    #: Who carries the messages.
    transport: Literal["APNS", "FCM"]
    #: A field that may carry a secret, the address of this device at the transport; it is never
    #: echoed.
    token: NotRequired[str]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryCreateDraftParams(TypedDict):
    """What the intent needs."""

    #: What it becomes; gallery if left out.
    kind: NotRequired[Literal["gallery", "story"]]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryCreateDraftCreated(TypedDict):
    """The draft was made."""

    #: Always true: a refusal is a JSON-RPC error.
    accepted: Literal[True]
    #: The first revision that contains the change, by model.
    revisions: Dict[str, int]
    #: The new draft's id.
    draft: str


class GalleryEditPublishedParams(TypedDict):
    """What the intent needs."""

    #: The gallery's at-uri.
    gallery: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryEditPublishedOpened(TypedDict):
    """The draft is made; the operation reads the gallery into it."""

    #: Always true: a refusal is a JSON-RPC error.
    accepted: Literal[True]
    #: The operation that goes on after this answer.
    operation: str
    #: The first revision that contains the change, by model.
    revisions: Dict[str, int]
    #: The draft's id; one that was opened before is opened again.
    draft: str


class GalleryDeletePublishedParams(TypedDict):
    """What the intent needs."""

    #: The gallery's at-uri.
    gallery: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryRetryCrossPostParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryAddPhotosParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: The files.
    files: List[GalleryAddPhotosFile]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryAddPhotosFile(TypedDict):
    """One picture file."""

    #: Absolute path; recordings leave it out.
    path: str


class GallerySetDetailsParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: The new title.
    title: NotRequired[str]
    #: The new description.
    description: NotRequired[str]
    #: The new content labels, all of them.
    labels: NotRequired[List[str]]
    #: The new place.
    location: NotRequired[GallerySetDetailsLocation]
    #: Publish camera data with the photos.
    includeExif: NotRequired[bool]
    #: Post on Bluesky afterwards.
    crossPost: NotRequired[bool]
    #: Details to remove.
    clear: NotRequired[List[Literal["location"]]]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GallerySetDetailsLocation(TypedDict):
    """A place."""

    #: The H3 cell at resolution 10.
    h3: str
    #: What the place is called.
    name: str
    #: The place's postal address, as far as it is known.
    address: NotRequired[GallerySetDetailsAddress]


class GallerySetDetailsAddress(TypedDict):
    """The place's postal address, as far as it is known."""

    #: Usually the ISO 3166 code in upper case.
    country: str
    #: As written in that country.
    postalCode: NotRequired[str]
    #: State, province or the like.
    region: NotRequired[str]
    #: Town or city.
    locality: NotRequired[str]
    #: Number and road.
    street: NotRequired[str]
    #: What stands there, such as a station.
    name: NotRequired[str]


class GallerySetAltParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: The photo's id.
    photo: str
    #: The photo in words; empty to remove them.
    alt: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryMovePhotoParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: The photo's id.
    photo: str
    #: The photo to stand in front of; to the end if left out.
    before: NotRequired[str]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryRemovePhotoParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: The photo's id.
    photo: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryPublishParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryCancelPublishParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryRetryParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class GalleryDiscardDraftParams(TypedDict):
    """What the intent needs."""

    #: The draft's id.
    draft: str
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class ShellSetVisibilityParams(TypedDict):
    """What the intent needs."""

    #: Whether one can.
    visible: bool
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


class ShellNotificationActivatedParams(TypedDict):
    """What the intent needs."""

    #: The notification's tag.
    tag: str
    #: The button's name; the notification itself if left out.
    action: NotRequired[str]
    #: Conditions on an intent.
    _meta: NotRequired[IntentMeta]


# MARK: Effects


class UrlOpenArgs(TypedDict):
    """What the shell is asked."""

    #: https or mailto; loopback http where the configuration allows it. A sign-in page's address
    #: belongs to nobody else, so recordings leave it out.
    url: str
    #: What it is for, so a shell may word a prompt.
    purpose: str


class UrlOpenResult(TypedDict):
    """What came of it."""

    #: A person saying no is an outcome, not an error.
    outcome: Literal["opened"]


class AuthPresentArgs(TypedDict):
    """What the shell is asked."""

    #: Carries a client id and a one-time request_uri, no more; recordings leave it out.
    url: str
    #: How the page's end comes back to the core.
    callback: AuthPresentCallback
    #: The core's pick from the shell's list.
    presentation: str
    #: Whether cookies and storage must be gone afterwards.
    ephemeral: bool


class AuthPresentResult(TypedDict):
    """What came of it."""

    #: A person saying no is an outcome, not an error.
    outcome: Literal["presented", "callbackDelivered", "dismissed"]

#: How the page's end comes back to the core.
AuthPresentCallback = Union["AuthPresentViaCore", "AuthPresentViaShell"]


class AuthPresentViaCore(TypedDict):
    """The core listens on a loopback port; the shell only opens the page."""

    via: Literal["core"]


class AuthPresentViaShell(TypedDict):
    """The shell stops the navigation to this address and sends it with login.callback."""

    via: Literal["shell"]
    #: Compared without case.
    scheme: str
    #: Compared exactly; the address has none if left out.
    host: NotRequired[str]
    #: Compared exactly.
    path: str


class KeyringUnlockArgs(TypedDict):
    """What the shell is asked."""

    #: The key of the message that says why, such as keyring.locked.
    reason: str


class KeyringUnlockResult(TypedDict):
    """What came of it."""

    #: unavailable: this desktop has no way to do it.
    outcome: Literal["unlocked", "dismissed", "unavailable"]


class SchemeRegisterArgs(TypedDict):
    """What the shell is asked."""

    #: Without the colon.
    scheme: str
    #: What the desktop calls the program.
    displayName: str


class SchemeRegisterResult(TypedDict):
    """What came of it."""

    #: A person saying no is an outcome, not an error.
    outcome: Literal["registered", "alreadyRegistered", "dismissed"]


class FilesPickArgs(TypedDict):
    """What the shell is asked."""

    #: What may be chosen, such as image/jpeg or image/*.
    mediaTypes: List[str]
    #: Whether more than one may be chosen.
    multiple: bool
    #: How many at most.
    maxCount: int

#: What came of it.
FilesPickResult = Union["FilesPickPicked", "FilesPickDismissed"]


class FilesPickPicked(TypedDict):
    """Files were chosen."""

    outcome: Literal["picked"]
    #: In the order of the choice.
    files: List[FilesPickFile]


class FilesPickDismissed(TypedDict):
    """Nothing was chosen."""

    outcome: Literal["dismissed"]


class FilesPickFile(TypedDict):
    """One file."""

    #: Absolute path; recordings leave it out.
    path: str
    #: The file's name, for the person; recordings leave it out.
    name: str
    #: Its size.
    bytes: int
    #: What the desktop takes it for.
    mediaType: str


class NotificationShowArgs(TypedDict):
    """What the shell is asked."""

    #: Tells notifications apart.
    tag: str
    #: Its first line.
    title: Message
    #: The rest.
    body: Message
    #: Its buttons, in order; an empty list for none.
    actions: List[NotificationShowAction]


class NotificationShowResult(TypedDict):
    """What came of it."""

    #: What came of it.
    outcome: Literal["shown", "suppressed"]


class NotificationShowAction(TypedDict):
    """One button."""

    #: The name shell.notificationActivated brings back.
    action: str
    #: What stands on it.
    title: Message


class NotificationCloseArgs(TypedDict):
    """What the shell is asked."""

    #: The notification's tag.
    tag: str


class NotificationCloseResult(TypedDict):
    """What came of it."""

    #: What came of it.
    outcome: Literal["closed"]


class ClipboardWriteArgs(TypedDict):
    """What the shell is asked."""

    #: What to put there; never a secret.
    text: str


class ClipboardWriteResult(TypedDict):
    """What came of it."""

    #: What came of it.
    outcome: Literal["written"]


class ImagePrepareArgs(TypedDict):
    """What the shell is asked."""

    #: Absolute path of the picture; recordings leave it out.
    path: str
    #: Pixels across at most.
    maxWidth: int
    #: Pixels down at most.
    maxHeight: int
    #: Size of the copy at most.
    maxBytes: int
    #: What the copy is to be.
    mediaType: str
    #: Absolute path to write; recordings leave it out.
    output: str

#: What came of it.
ImagePrepareResult = Union["ImagePreparePrepared", "ImagePrepareUnsupported"]


class ImagePreparePrepared(TypedDict):
    """The copy is written."""

    outcome: Literal["prepared"]
    #: Pixels across, orientation applied.
    width: int
    #: Pixels down, orientation applied.
    height: int
    #: Size of the copy.
    bytes: int


class ImagePrepareUnsupported(TypedDict):
    """The shell cannot read the picture, or not make it small enough."""

    outcome: Literal["unsupported"]


# MARK: The protocol itself


class CancelParams(TypedDict):
    """The params."""

    #: The id of a running operation.
    operation: str


class CancelResult(TypedDict):
    """The result."""

    #: False when it has already ended.
    cancelling: bool


class CancelRequestFromShell(TypedDict):
    """The params, shell to core."""

    #: The shell's ids are its own; the core's are c-1, c-2, ….
    id: EnvelopeId


class CancelRequestFromCore(TypedDict):
    """The params, core to shell."""

    #: The shell's ids are its own; the core's are c-1, c-2, ….
    id: EnvelopeId


class ClosedParams(TypedDict):
    """The params."""

    #: The subscription's id, chosen by the shell.
    subscription: str
    #: Why.
    reason: str
    #: A failure as a state and operations/ended show it.
    problem: NotRequired[Problem]


class EndedParams(TypedDict):
    """The params."""

    #: The id of a running operation.
    operation: str
    #: The name of an intent.
    intent: IntentName
    #: The request that started it; absent after a resume.
    causedBy: NotRequired[EnvelopeId]
    #: The core continued it on its own.
    origin: NotRequired[str]
    #: How; failed comes with a problem.
    outcome: Literal["succeeded", "failed", "cancelled"]
    #: The first revision that contains the change, by model.
    revisions: Dict[str, int]
    #: A failure as a state and operations/ended show it.
    problem: NotRequired[Problem]

#: The shell's ids are its own; the core's are c-1, c-2, ….
EnvelopeId = Union[int, str]


class EnvelopeRequest(TypedDict):
    """Asks for an answer."""

    jsonrpc: Literal["2.0"]
    #: The shell's ids are its own; the core's are c-1, c-2, ….
    id: EnvelopeId
    method: str
    #: By the method's own schema.
    params: NotRequired[Dict[str, Any]]


class EnvelopeNotification(TypedDict):
    """Asks for none."""

    jsonrpc: Literal["2.0"]
    method: str
    #: By the method's own schema.
    params: NotRequired[Dict[str, Any]]


class EnvelopeResponse(TypedDict):
    """Answers a request."""

    jsonrpc: Literal["2.0"]
    #: The shell's ids are its own; the core's are c-1, c-2, ….
    id: EnvelopeId
    #: By the method's own schema; never null.
    result: Dict[str, Any]


class EnvelopeErrorResponse(TypedDict):
    """Refuses a request."""

    jsonrpc: Literal["2.0"]
    #: null where the request's id could not be read.
    id: EnvelopeAnsweredId
    #: Why a request was refused.
    error: RpcError

#: null where the request's id could not be read.
EnvelopeAnsweredId = Union[int, str, None]


class RpcError(TypedDict):
    """Why a request was refused."""

    #: The number of the kind; negative ones are JSON-RPC's own block.
    code: int
    #: English for developers, never shown.
    message: str
    #: The data of a JSON-RPC error: a problem whose code the error itself has.
    data: ErrorData


class GetParams(TypedDict):
    """The params."""

    #: The name of a model.
    model: str
    #: Selects an instance of a parametrised model; each model's schema says what it takes.
    args: NotRequired[Dict[str, str]]


class GetResult(TypedDict):
    """The result."""

    #: A schema id below the schema root.
    schema: str
    #: Rises by one for every committed change of the instance.
    revision: int
    #: The state; its own schema is the one named.
    state: Dict[str, Any]


class InitializeParams(TypedDict):
    """The params."""

    #: Best first.
    protocolVersions: List[int]
    #: Who is asking.
    client: InitializeParamsClient
    #: What the shell can do; what is not named is not supported.
    capabilities: NotRequired[InitializeParamsCapabilities]
    #: The models the shell will use, each once.
    models: NotRequired[List[InitializeParamsModel]]
    #: What the shell can read.
    limits: NotRequired[InitializeParamsLimits]


class InitializeParamsClient(TypedDict):
    """Who is asking."""

    #: The shell's name.
    name: str
    #: The shell's version.
    version: str
    #: The core ends when this process does; leave it out where process ids are not shared.
    processId: NotRequired[int]
    #: BCP 47; affects nothing but the order of lists the core sorts.
    locale: NotRequired[str]


class InitializeParamsCapabilities(TypedDict):
    """What the shell can do; what is not named is not supported."""

    #: The forms of snapshots it can read.
    delivery: NotRequired[List[str]]
    #: Whether it wants $/progress.
    progress: NotRequired[bool]
    #: The effects it can perform, by name.
    effects: NotRequired[Dict[str, InitializeParamsEffect]]


class InitializeParamsEffect(TypedDict):
    """How far it can perform one effect."""

    #: The highest version it knows.
    version: int
    #: For auth.present: the ways it can show a page.
    presentations: NotRequired[List[str]]


class InitializeParamsModel(TypedDict):
    """One model and the schemas the shell can read."""

    #: The name of a model.
    model: str
    #: Best first.
    schemas: List[str]


class InitializeParamsLimits(TypedDict):
    """What the shell can read."""

    #: One message, in bytes; 1048576 if left out.
    maxMessageBytes: NotRequired[int]


class InitializeResult(TypedDict):
    """The result."""

    #: The one in use.
    protocolVersion: int
    #: Fresh per process.
    session: str
    #: The program.
    core: InitializeResultCore
    #: What schema ids are relative to; an identifier, never fetched.
    schemaRoot: str
    #: Rises with every accepted change of the schemas; gate on features instead.
    schemaRevision: int
    #: The schema picked for each model.
    models: List[InitializeResultModel]
    #: What this session can do.
    capabilities: InitializeResultCapabilities
    #: What this pair of shell and core cannot do, and why.
    missing: List[InitializeResultMissing]
    #: The limits of this session.
    limits: InitializeResultLimits


class InitializeResultCore(TypedDict):
    """The program."""

    name: str
    #: For logs and people; gate on features instead.
    version: str


class InitializeResultModel(TypedDict):
    """One model and its schema in this session."""

    #: The name of a model.
    model: str
    #: A schema id below the schema root.
    schema: str


class InitializeResultCapabilities(TypedDict):
    """What this session can do."""

    #: The forms of snapshots both know.
    delivery: List[str]
    #: Whether $/progress will be sent.
    progress: bool
    #: The effects the core may ask for.
    effects: List[str]
    #: Optional behaviour of this core.
    features: List[str]


class InitializeResultMissing(TypedDict):
    """One model or feature that is off."""

    #: The name of a model.
    model: NotRequired[str]
    feature: NotRequired[str]
    #: effect:<name>: the shell lacks it; model: the core has no such model; schema: none in
    #: common.
    needs: str


class InitializeResultLimits(TypedDict):
    """The limits of this session."""

    maxMessageBytes: int
    maxDepth: int
    maxInFlight: int
    maxSubscriptions: int
    maxRateHz: int


class LogLine(TypedDict):
    """What was logged; 8 KiB at most."""

    #: When.
    ts: str
    #: fault is a bug in the core.
    level: Literal["trace", "debug", "info", "warn", "error", "fault"]
    #: The part of the core that speaks.
    target: str
    #: Fixed words; what varies is in fields.
    msg: str
    #: The id of a running operation.
    op: NotRequired[str]
    #: The id of the request it belongs to, as text.
    req: NotRequired[str]
    #: What varies, by name; never a secret.
    fields: NotRequired[Dict[str, Any]]


class PendingResult(TypedDict):
    """The result."""

    #: Oldest first.
    pending: List[PendingResultEffect]


class PendingResultEffect(TypedDict):
    """One open effect."""

    #: The shell's ids are its own; the core's are c-1, c-2, ….
    id: EnvelopeId
    #: The params.
    params: PerformParams


class PerformParams(TypedDict):
    """The params."""

    #: The effect's name.
    effect: str
    #: Of the effect.
    version: int
    #: The id of a running operation.
    operation: str
    #: The request that led to it.
    causedBy: NotRequired[EnvelopeId]
    #: The core continued the operation on its own.
    origin: NotRequired[str]
    #: What the effect needs; its own schema is the effect's.
    args: Dict[str, Any]


class PingResult(TypedDict):
    """The result."""

    #: Since the process began.
    uptimeMs: int
    #: Age of the oldest unanswered request; over 3000 means not responding.
    oldestPendingMs: int
    #: Unanswered requests.
    inFlight: int
    #: Open subscriptions.
    subscriptions: int
    #: Waiting to be written.
    queuedControlBytes: int
    #: Changes that were folded into a later snapshot.
    coalesced: int
    #: Notifications nobody knew.
    ignoredNotifications: int


class ProgressParams(TypedDict):
    """The params."""

    #: The operation's id: JSON-RPC's habit calls it a token; it opens nothing.
    token: str
    #: The newest value.
    value: ProgressValue


class ProgressValue(TypedDict):
    """The newest value."""

    #: Never falls.
    done: int
    total: int
    unit: str


class ResyncParams(TypedDict):
    """The params."""

    #: The subscription's id, chosen by the shell.
    subscription: str


class SetLevelParams(TypedDict):
    """The params."""

    #: The lowest level written.
    level: Literal["trace", "debug", "info", "warn", "error", "fault"]
    #: One target only; all if left out.
    target: NotRequired[str]


class SnapshotParams(TypedDict):
    """The params."""

    #: The subscription's id, chosen by the shell.
    subscription: str
    #: The name of a model.
    model: str
    #: A schema id below the schema root.
    schema: str
    #: Rises by one for every committed change of the instance.
    revision: int
    #: All snapshots of one frame show one instant of the core.
    frame: int
    #: The shell's requests whose effect is in here, oldest first, newest 64.
    causedBy: List[EnvelopeId]
    #: The whole state; its own schema is the one named.
    state: NotRequired[Dict[str, Any]]
    #: The revision merge applies to; comes with merge and without state.
    base: NotRequired[int]
    #: An RFC 7396 patch; a null in it only ever means remove.
    merge: NotRequired[Dict[str, Any]]
    #: Another snapshot of the same frame follows.
    more: NotRequired[Literal[True]]
    #: Test profile only: SHA-256 of the applied state, keys sorted, in hexadecimal.
    digest: NotRequired[str]


class SubscribeParams(TypedDict):
    """The params."""

    #: The subscription's id, chosen by the shell.
    subscription: str
    #: The name of a model.
    model: str
    #: Selects an instance of a parametrised model; each model's schema says what it takes.
    args: NotRequired[Dict[str, str]]
    #: full if left out.
    delivery: NotRequired[Literal["full", "merge"]]
    #: Snapshots a second; 30 if left out.
    maxRateHz: NotRequired[int]


class SubscribeResult(TypedDict):
    """The result."""

    #: The subscription's id, chosen by the shell.
    subscription: str
    #: A schema id below the schema root.
    schema: str
    #: Rises by one for every committed change of the instance.
    revision: int


class UnsubscribeParams(TypedDict):
    """The params."""

    #: The subscription's id, chosen by the shell.
    subscription: str


# MARK: Names

ModelName = Literal["login", "accounts", "drafts", "devices", "galleryPublish"]

EffectName = Literal[
    "url.open",
    "auth.present",
    "keyring.unlock",
    "scheme.register",
    "files.pick",
    "notification.show",
    "notification.close",
    "clipboard.write",
    "image.prepare",
]

FeatureName = Literal["gallery.resume", "login.signIn", "login.createAccount"]

#: The schema of each model in version 1.
MODEL_SCHEMAS: Dict[str, str] = {
    "login": "v1/models/login.json",
    "accounts": "v1/models/accounts.json",
    "drafts": "v1/models/drafts.json",
    "devices": "v1/models/devices.json",
    "galleryPublish": "v1/models/gallery-publish.json",
}


class Calls(Protocol):
    """`Client.call` with the types of each method; see `Client.typed`."""

    @overload
    def call(
        self, method: Literal["initialize"], params: InitializeParams, timeout: float = 30
    ) -> InitializeResult: ...

    @overload
    def call(
        self,
        method: Literal["shutdown"],
        params: Optional[Dict[str, Any]] = None,
        timeout: float = 30,
    ) -> Dict[str, Any]: ...

    @overload
    def call(
        self, method: Literal["ping"], params: Optional[Dict[str, Any]] = None, timeout: float = 30
    ) -> PingResult: ...

    @overload
    def call(
        self, method: Literal["log/setLevel"], params: SetLevelParams, timeout: float = 30
    ) -> Dict[str, Any]: ...

    @overload
    def call(
        self, method: Literal["models/subscribe"], params: SubscribeParams, timeout: float = 30
    ) -> SubscribeResult: ...

    @overload
    def call(
        self, method: Literal["models/unsubscribe"], params: UnsubscribeParams, timeout: float = 30
    ) -> Dict[str, Any]: ...

    @overload
    def call(
        self, method: Literal["models/resync"], params: ResyncParams, timeout: float = 30
    ) -> Dict[str, Any]: ...

    @overload
    def call(
        self, method: Literal["models/get"], params: GetParams, timeout: float = 30
    ) -> GetResult: ...

    @overload
    def call(
        self, method: Literal["operations/cancel"], params: CancelParams, timeout: float = 30
    ) -> CancelResult: ...

    @overload
    def call(
        self,
        method: Literal["effects/pending"],
        params: Optional[Dict[str, Any]] = None,
        timeout: float = 30,
    ) -> PendingResult: ...

    @overload
    def call(
        self,
        method: Literal["login.start"],
        params: Optional[LoginStartParams] = None,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["login.setHandle"], params: LoginSetHandleParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["login.highlight"], params: LoginHighlightParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["login.submitHandle"],
        params: LoginSubmitHandleParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["login.submit"],
        params: Optional[LoginSubmitParams] = None,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["login.createAccount"],
        params: Optional[LoginCreateAccountParams] = None,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["login.callback"], params: LoginCallbackParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["login.submitToken"],
        params: LoginSubmitTokenParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["login.cancel"],
        params: Optional[LoginCancelParams] = None,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["login.dismissProblem"],
        params: Optional[LoginDismissProblemParams] = None,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["accounts.switch"], params: AccountsSwitchParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["accounts.reauthenticate"],
        params: AccountsReauthenticateParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["accounts.move"], params: AccountsMoveParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["accounts.delete"], params: AccountsDeleteParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["accounts.signOut"],
        params: AccountsSignOutParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["accounts.unlock"],
        params: Optional[AccountsUnlockParams] = None,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["devices.refresh"], params: DevicesRefreshParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["devices.revoke"], params: DevicesRevokeParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["devices.setPush"], params: DevicesSetPushParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.createDraft"],
        params: Optional[GalleryCreateDraftParams] = None,
        timeout: float = 30,
    ) -> GalleryCreateDraftCreated: ...

    @overload
    def call(
        self,
        method: Literal["gallery.editPublished"],
        params: GalleryEditPublishedParams,
        timeout: float = 30,
    ) -> GalleryEditPublishedOpened: ...

    @overload
    def call(
        self,
        method: Literal["gallery.deletePublished"],
        params: GalleryDeletePublishedParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.retryCrossPost"],
        params: GalleryRetryCrossPostParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.addPhotos"],
        params: GalleryAddPhotosParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.setDetails"],
        params: GallerySetDetailsParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["gallery.setAlt"], params: GallerySetAltParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.movePhoto"],
        params: GalleryMovePhotoParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.removePhoto"],
        params: GalleryRemovePhotoParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["gallery.publish"], params: GalleryPublishParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.cancelPublish"],
        params: GalleryCancelPublishParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self, method: Literal["gallery.retry"], params: GalleryRetryParams, timeout: float = 30
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["gallery.discardDraft"],
        params: GalleryDiscardDraftParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["shell.setVisibility"],
        params: ShellSetVisibilityParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...

    @overload
    def call(
        self,
        method: Literal["shell.notificationActivated"],
        params: ShellNotificationActivatedParams,
        timeout: float = 30,
    ) -> IntentVerdict: ...


class AsyncCalls(Protocol):
    """`AsyncClient.call` with the types of each method; see `AsyncClient.typed`."""

    @overload
    async def call(
        self, method: Literal["initialize"], params: InitializeParams
    ) -> InitializeResult: ...

    @overload
    async def call(
        self, method: Literal["shutdown"], params: Optional[Dict[str, Any]] = None
    ) -> Dict[str, Any]: ...

    @overload
    async def call(
        self, method: Literal["ping"], params: Optional[Dict[str, Any]] = None
    ) -> PingResult: ...

    @overload
    async def call(
        self, method: Literal["log/setLevel"], params: SetLevelParams
    ) -> Dict[str, Any]: ...

    @overload
    async def call(
        self, method: Literal["models/subscribe"], params: SubscribeParams
    ) -> SubscribeResult: ...

    @overload
    async def call(
        self, method: Literal["models/unsubscribe"], params: UnsubscribeParams
    ) -> Dict[str, Any]: ...

    @overload
    async def call(
        self, method: Literal["models/resync"], params: ResyncParams
    ) -> Dict[str, Any]: ...

    @overload
    async def call(
        self, method: Literal["models/get"], params: GetParams
    ) -> GetResult: ...

    @overload
    async def call(
        self, method: Literal["operations/cancel"], params: CancelParams
    ) -> CancelResult: ...

    @overload
    async def call(
        self, method: Literal["effects/pending"], params: Optional[Dict[str, Any]] = None
    ) -> PendingResult: ...

    @overload
    async def call(
        self, method: Literal["login.start"], params: Optional[LoginStartParams] = None
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.setHandle"], params: LoginSetHandleParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.highlight"], params: LoginHighlightParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.submitHandle"], params: LoginSubmitHandleParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.submit"], params: Optional[LoginSubmitParams] = None
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self,
        method: Literal["login.createAccount"],
        params: Optional[LoginCreateAccountParams] = None,
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.callback"], params: LoginCallbackParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.submitToken"], params: LoginSubmitTokenParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["login.cancel"], params: Optional[LoginCancelParams] = None
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self,
        method: Literal["login.dismissProblem"],
        params: Optional[LoginDismissProblemParams] = None,
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["accounts.switch"], params: AccountsSwitchParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["accounts.reauthenticate"], params: AccountsReauthenticateParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["accounts.move"], params: AccountsMoveParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["accounts.delete"], params: AccountsDeleteParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["accounts.signOut"], params: AccountsSignOutParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["accounts.unlock"], params: Optional[AccountsUnlockParams] = None
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["devices.refresh"], params: DevicesRefreshParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["devices.revoke"], params: DevicesRevokeParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["devices.setPush"], params: DevicesSetPushParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self,
        method: Literal["gallery.createDraft"],
        params: Optional[GalleryCreateDraftParams] = None,
    ) -> GalleryCreateDraftCreated: ...

    @overload
    async def call(
        self, method: Literal["gallery.editPublished"], params: GalleryEditPublishedParams
    ) -> GalleryEditPublishedOpened: ...

    @overload
    async def call(
        self, method: Literal["gallery.deletePublished"], params: GalleryDeletePublishedParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.retryCrossPost"], params: GalleryRetryCrossPostParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.addPhotos"], params: GalleryAddPhotosParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.setDetails"], params: GallerySetDetailsParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.setAlt"], params: GallerySetAltParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.movePhoto"], params: GalleryMovePhotoParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.removePhoto"], params: GalleryRemovePhotoParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.publish"], params: GalleryPublishParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.cancelPublish"], params: GalleryCancelPublishParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.retry"], params: GalleryRetryParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["gallery.discardDraft"], params: GalleryDiscardDraftParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self, method: Literal["shell.setVisibility"], params: ShellSetVisibilityParams
    ) -> IntentVerdict: ...

    @overload
    async def call(
        self,
        method: Literal["shell.notificationActivated"],
        params: ShellNotificationActivatedParams,
    ) -> IntentVerdict: ...
