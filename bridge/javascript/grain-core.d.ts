// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.
// Objects a core sends may have more members than are named here; objects sent to it may not.

/** The revision of the schemas these types were generated from. */
export type SchemaRevision = 7;

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** An object whose members its own schema describes, or none. */
export interface JsonObject {
  [name: string]: JsonValue;
}

// MARK: What all have in common

/** Conditions on an intent. */
export interface IntentMeta {
  /**
   * The revision the person was looking at, by model; a newer one refuses the intent with
   * intent.stale.
   */
  ifRevision?: Record<string, number>;
}

/** The intent was accepted. */
export interface IntentVerdict {
  /** Always true: a refusal is a JSON-RPC error. */
  accepted: true;
  /** An equal operation is already running; nothing new was started. */
  joined?: true;
  /** The operation that goes on after this answer. */
  operation?: string;
  /** The first revision that contains the change, by model. */
  revisions: Record<string, number>;
}

/** Where the picture is, and how large it is shown. */
export interface Media {
  /** https or file URL; a file's path is absolute, and recordings leave it out. */
  uri: string;
  /** Pixels across, orientation applied; absent while unknown. */
  width?: number;
  /** Pixels down, orientation applied; absent while unknown. */
  height?: number;
  /** The picture in words, for people who cannot see it. */
  alt?: string;
}

/** A sentence for the person. */
export interface Message {
  /** The name of the sentence in the shell's catalogue. */
  key: string;
  /** What the sentence mentions. */
  params: Record<string, string | number>;
  /** The sentence in English, complete. */
  fallback: string;
}

/** The members every state begins with. */
export interface ModelHeader {
  /**
   * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
   * core is at work), waiting (for the person or the shell), failed (problem says why), done
   * (what this model is about has succeeded); closed for all of version 1.
   */
  status: ModelStatus;
  /** The precise state; each model lists its own. */
  phase: string;
  /** The intents accepted now; the shell enables exactly these controls. */
  can: IntentName[];
  /** The id of a running operation. */
  operation?: string;
  /** The last failure that was not dismissed yet. */
  problem?: Problem;
}

/**
 * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
 * core is at work), waiting (for the person or the shell), failed (problem says why), done
 * (what this model is about has succeeded); closed for all of version 1.
 */
export type ModelStatus = "idle" | "busy" | "waiting" | "failed" | "done";

/** The name of an intent. */
export type IntentName =
  | "login.start"
  | "login.setHandle"
  | "login.highlight"
  | "login.submitHandle"
  | "login.submit"
  | "login.createAccount"
  | "login.callback"
  | "login.submitToken"
  | "login.cancel"
  | "login.dismissProblem"
  | "accounts.switch"
  | "accounts.reauthenticate"
  | "accounts.move"
  | "accounts.delete"
  | "accounts.signOut"
  | "accounts.unlock"
  | "devices.refresh"
  | "devices.revoke"
  | "devices.setPush"
  | "gallery.createDraft"
  | "gallery.editPublished"
  | "gallery.deletePublished"
  | "gallery.retryCrossPost"
  | "gallery.addPhotos"
  | "gallery.setDetails"
  | "gallery.setAlt"
  | "gallery.movePhoto"
  | "gallery.removePhoto"
  | "gallery.publish"
  | "gallery.cancelPublish"
  | "gallery.retry"
  | "gallery.discardDraft"
  | "shell.setVisibility"
  | "shell.notificationActivated"
  | (string & {});

/** A failure as a state and operations/ended show it. */
export interface Problem {
  /** The number of the kind; negative ones are JSON-RPC's own block. */
  code: number;
  /** The stable machine name; an unknown one is shown by message.fallback. */
  kind: ErrorKind;
  /** Whether the same call may succeed later without changes. */
  retryable: boolean;
  /** A sentence for the person. */
  message: Message;
  /** The parameter at fault, as a JSON Pointer into params. */
  field?: string;
  /** How long the server asked to wait, in milliseconds. */
  retryAfterMs?: number;
  /** Facts for programs, by kind; never null, never a secret. */
  details?: JsonObject;
  /** The kind of failure behind this one. */
  cause?: ErrorKind;
}

/** The data of a JSON-RPC error: a problem whose code the error itself has. */
export interface ErrorData {
  /** The stable machine name; an unknown one is shown by message.fallback. */
  kind: ErrorKind;
  /** Whether the same call may succeed later without changes. */
  retryable: boolean;
  /** A sentence for the person. */
  message: Message;
  /** The parameter at fault, as a JSON Pointer into params. */
  field?: string;
  /** How long the server asked to wait, in milliseconds. */
  retryAfterMs?: number;
  /** Facts for programs, by kind; never null, never a secret. */
  details?: JsonObject;
  /** The kind of failure behind this one. */
  cause?: ErrorKind;
}

/** The stable machine name; an unknown one is shown by message.fallback. */
export type ErrorKind =
  | "frame.invalidJson"
  | "frame.invalidUtf8"
  | "frame.tooLarge"
  | "frame.tooDeep"
  | "frame.duplicateKey"
  | "rpc.notAnObject"
  | "rpc.batch"
  | "rpc.badId"
  | "rpc.duplicateId"
  | "rpc.invalidRequest"
  | "rpc.unknownMethod"
  | "rpc.invalidParams"
  | "core.internal"
  | "protocol.unsupportedVersion"
  | "protocol.notInitialized"
  | "protocol.alreadyInitialized"
  | "protocol.shuttingDown"
  | "protocol.overloaded"
  | "protocol.unknownSubscription"
  | "protocol.unknownModel"
  | "protocol.unknownOperation"
  | "request.cancelled"
  | "intent.stale"
  | "intent.notAvailable"
  | "intent.busy"
  | "login.handleInvalid"
  | "login.handleNotFound"
  | "login.identityUnreachable"
  | "login.serverUnsupported"
  | "login.denied"
  | "login.callbackMismatch"
  | "login.expired"
  | "login.noServer"
  | "login.clientUnavailable"
  | "login.identityMismatch"
  | "login.providerUnavailable"
  | "login.serverInvalid"
  | "login.tokenInvalid"
  | "login.codeSpent"
  | "account.unknown"
  | "account.sessionExpired"
  | "account.scopeMissing"
  | "gallery.draftUnknown"
  | "gallery.noPhotos"
  | "gallery.titleMissing"
  | "gallery.titleTooLong"
  | "gallery.photoUnsupported"
  | "gallery.photoTooLarge"
  | "gallery.photoUnreadable"
  | "gallery.tooManyPhotos"
  | "gallery.textTooLong"
  | "gallery.uploadFailed"
  | "gallery.commitFailed"
  | "gallery.crossPostFailed"
  | "gallery.changedElsewhere"
  | "gallery.unknown"
  | "network.offline"
  | "network.timeout"
  | "network.tls"
  | "server.error"
  | "server.rateLimited"
  | "server.badResponse"
  | "store.locked"
  | "store.corrupt"
  | "store.full"
  | "store.unwritable"
  | "store.newer"
  | "keyring.locked"
  | "keyring.unavailable"
  | "effect.unsupported"
  | "effect.failed"
  | "effect.denied"
  | "effect.busy"
  | (string & {});

// MARK: Models

/** The whole state of the sign-in screen. */
export interface LoginState {
  /**
   * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
   * core is at work), waiting (for the person or the shell), failed (problem says why), done
   * (what this model is about has succeeded); closed for all of version 1.
   */
  status: ModelStatus;
  /**
   * The precise state: signedOut (the form is closed), enteringHandle (it is open, for whatever
   * the chosen provider needs), resolving (the handle is being looked up), contacting (the
   * account's server is asked for a sign-in page), waitingForBrowser (the page is open),
   * exchanging (the browser came back; tokens are being fetched), signedIn (the account is in
   * the list), failed (problem says why).
   */
  phase: "signedOut" | "enteringHandle" | "resolving" | "contacting" | "waitingForBrowser" | "exchanging" | "signedIn" | "failed" | (string & {});
  /** The intents accepted now; the shell enables exactly these controls. */
  can: IntentName[];
  /** The id of a running operation. */
  operation?: string;
  /** The last failure that was not dismissed yet. */
  problem?: Problem;
  /** Why the person is asked to sign in again, if there is more to say than that nobody is. */
  reason?: Message;
  /** The keys, in the order of the list. */
  providerOrder?: string[];
  /** The ways to sign in; left out where there is nothing to choose. */
  provider?: Record<string, LoginProvider>;
  /**
   * With whom the open form, or the running sign-in, signs in; left out at rest and where there
   * is nothing to choose.
   */
  chosen?: "grain" | "platrium" | "pixiv" | (string & {});
  /** The text of the handle field, as typed. */
  handle: string;
  /** The keys, in the order of the list. */
  suggestionOrder: string[];
  /** Accounts whose handle begins like the text. */
  suggestion: Record<string, LoginSuggestion>;
  /** The key of the suggestion the keyboard is on. */
  highlighted?: string;
  /** The host whose sign-in page is, or will be, shown. */
  serverHost?: string;
  /** The code to type at verificationUrl (device grant). */
  userCode?: string;
  /** The page to open on another device (device grant). */
  verificationUrl?: string;
}

/** One way to sign in. */
export interface LoginProvider {
  /** Whether it can be used on this machine with this shell. */
  available: boolean;
  /** Why it cannot. */
  reason?: Message;
  /** What the person has to enter first. */
  needs: "handle" | "server" | "none" | (string & {});
}

/** One account the person may mean. */
export interface LoginSuggestion {
  /** Without the at sign. */
  handle: string;
  /** As the account's owner wrote it. */
  displayName?: string;
  /** Where the picture is, and how large it is shown. */
  avatar?: Media;
}

/** The whole list. */
export interface AccountsState {
  /**
   * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
   * core is at work), waiting (for the person or the shell), failed (problem says why), done
   * (what this model is about has succeeded); closed for all of version 1.
   */
  status: ModelStatus;
  /**
   * The precise state: restoring (the store is being read, or cannot be opened yet), empty
   * (nobody has signed in), ready (the list is complete), switching (another account is
   * becoming the active one).
   */
  phase: "restoring" | "empty" | "ready" | "switching" | (string & {});
  /** The intents accepted now; the shell enables exactly these controls. */
  can: IntentName[];
  /** The id of a running operation. */
  operation?: string;
  /** The last failure that was not dismissed yet. */
  problem?: Problem;
  /** The state of the session machine; closed. */
  session: "restoring" | "signedOut" | "authenticating" | "signedIn" | "refreshing" | "revoked";
  /** Why the session is what it is, where the person should know. */
  sessionReason?: Message;
  /** The keys, in the order of the list. */
  accountOrder: string[];
  /** The accounts, by id. */
  account: Record<string, AccountsAccount>;
  /** The id of the active account. */
  active?: string;
  /**
   * How many accounts there are, where only the first of them and the active one fit into a
   * message of this shell. Absent where all are here.
   */
  accountCount?: number;
}

/** One account. */
export interface AccountsAccount {
  /** Who the account is with. */
  provider: "grain" | "platrium" | "pixiv" | (string & {});
  /** Without the at sign; absent while unverified, and then the id is shown. */
  handle?: string;
  /** As the account's owner wrote it. */
  displayName?: string;
  /** Where the picture is, and how large it is shown. */
  avatar?: Media;
  /**
   * Whether the account can be used: ok (signed in), expired (the session ended; signing in
   * again brings it back), scopeMissing (signed in, but some features were not granted),
   * inactive (the server has deactivated or taken down the account).
   */
  standing: "ok" | "expired" | "scopeMissing" | "inactive" | (string & {});
  /**
   * The features whose scope was not granted: publish, exif, edit, crossPost, comment,
   * favorite, follow, block, story, profile, appview.
   */
  unavailable: string[];
  /** The intents this account accepts now. */
  can: IntentName[];
}

/** The whole list. */
export interface DraftsState {
  /**
   * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
   * core is at work), waiting (for the person or the shell), failed (problem says why), done
   * (what this model is about has succeeded); closed for all of version 1.
   */
  status: ModelStatus;
  /** The precise state. */
  phase: "ready" | (string & {});
  /** The intents accepted now; the shell enables exactly these controls. */
  can: IntentName[];
  /** The id of a running operation. */
  operation?: string;
  /** The last failure that was not dismissed yet. */
  problem?: Problem;
  /** The keys, in the order of the list. */
  draftOrder: string[];
  /** The drafts, by id. */
  draft: Record<string, DraftsDraft>;
  /**
   * How many drafts there are, where only those changed last fit into a message of this shell.
   * Absent where all are here.
   */
  draftCount?: number;
}

/** One draft. */
export interface DraftsDraft {
  /** What it becomes. */
  kind: "gallery" | "story" | (string & {});
  /** As typed; empty until the person has typed one. */
  title: string;
  /** How many photos it holds. */
  photoCount: number;
  /** Time of the last change. */
  updatedAt: string;
  /** When it will be deleted; absent while a publish is unfinished. */
  expiresAt?: string;
  /** Whether a publish was started and can be continued. */
  resumable: boolean;
}

/** The whole list. */
export interface DevicesState {
  /**
   * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
   * core is at work), waiting (for the person or the shell), failed (problem says why), done
   * (what this model is about has succeeded); closed for all of version 1.
   */
  status: ModelStatus;
  /** The precise state. */
  phase: "loading" | "ready" | "failed" | (string & {});
  /** The intents accepted now; the shell enables exactly these controls. */
  can: IntentName[];
  /** The id of a running operation. */
  operation?: string;
  /** The last failure that was not dismissed yet. */
  problem?: Problem;
  /** The keys, in the order of the list. */
  clientOrder: string[];
  /** The devices and apps, by id. */
  client: Record<string, DevicesClient>;
  /** Whether more can use the account than is listed: the server does not list browser sessions. */
  incomplete: boolean;
  /**
   * How many devices and apps there are, where only the first of them and this one fit into a
   * message of this shell. Absent where all are here.
   */
  clientCount?: number;
}

/** Whose. */
export interface DevicesArgs {
  /** The account's id. */
  account: string;
}

/** One device or app. */
export interface DevicesClient {
  /** A device can get push messages, an app cannot. */
  kind: "device" | "app" | (string & {});
  /** As it was named when it signed in. */
  name: string;
  /** The system it runs on, as the server says it. */
  platform?: string;
  /** When it signed in; absent where the service does not say. */
  createdAt?: string;
  /** When it was seen last; absent while it never was. */
  lastUsedAt?: string;
  /** Whether this is the one in use here; revoking it signs out. */
  current: boolean;
  /** The intents this one accepts now. */
  can: IntentName[];
}

/** The whole draft and its publish. */
export interface GalleryPublishState {
  /**
   * Enough to render any phase the shell does not know: idle (nothing is going on), busy (the
   * core is at work), waiting (for the person or the shell), failed (problem says why), done
   * (what this model is about has succeeded); closed for all of version 1.
   */
  status: ModelStatus;
  /** The precise state. */
  phase: "editing" | "preparing" | "uploading" | "committing" | "published" | "failed" | (string & {});
  /** The intents accepted now; the shell enables exactly these controls. */
  can: IntentName[];
  /** The id of a running operation. */
  operation?: string;
  /** The last failure that was not dismissed yet. */
  problem?: Problem;
  /** As typed. */
  title: string;
  /** As typed. */
  description: string;
  /** The author's content labels. */
  labels: string[];
  /** A place. */
  location?: GalleryPublishLocation;
  /** Whether camera data is published with the photos. */
  includeExif: boolean;
  /** Whether a post on Bluesky follows. */
  crossPost: boolean;
  /** The keys, in the order of the list. */
  photoOrder: string[];
  /** The photos, by id. */
  photo: Record<string, GalleryPublishPhoto>;
  /** Whole percent of the publish, rounded down; absent while it cannot be told. */
  percent?: number;
  /** The at-uri of the gallery, once it is published. */
  publishedUri?: string;
  /** What became of the post on Bluesky; absent unless one was asked for and its turn has come. */
  crossPostStatus?: "pending" | "posted" | "failed" | (string & {});
  /**
   * How many photos the draft has, where only the first of them fit into a message of this
   * shell; the others are kept and published all the same. Absent where all are here.
   */
  photoCount?: number;
  /**
   * The texts of which only the beginning fits into a message of this shell, as JSON Pointers
   * into this state; the whole is kept and published. Absent where all are whole.
   */
  cut?: string[];
}

/** Which draft. */
export interface GalleryPublishArgs {
  /** The draft's id. */
  draft: string;
}

/** One photo of the draft. */
export interface GalleryPublishPhoto {
  /** The prepared copy, or the original until there is one. */
  media: Media;
  /** The photo in words, for people who cannot see it; empty until typed. */
  alt: string;
  /**
   * How far it has come: waiting (not looked at yet), preparing (being read, measured, stripped
   * and resized), ready (its publishable copy is on disk), uploading, uploaded (the server has
   * it), failed (problem says why); an unknown step is shown as waiting.
   */
  step: "waiting" | "preparing" | "ready" | "uploading" | "uploaded" | "failed" | (string & {});
  /** Why this photo cannot go on. */
  problem?: Problem;
}

/** A place. */
export interface GalleryPublishLocation {
  /** The H3 cell at resolution 10. */
  h3: string;
  /** What the place is called. */
  name: string;
  /** Where that is. */
  address?: GalleryPublishAddress;
}

/** The place's postal address, as far as it is known. */
export interface GalleryPublishAddress {
  /** Usually the ISO 3166 code in upper case. */
  country: string;
  /** As written in that country. */
  postalCode?: string;
  /** State, province or the like. */
  region?: string;
  /** Town or city. */
  locality?: string;
  /** Number and road. */
  street?: string;
  /** What stands there, such as a station. */
  name?: string;
}

// MARK: Intents

/** What the intent needs. */
export interface LoginStartParams {
  /** With whom; grain if left out. */
  provider?: "grain" | "platrium" | "pixiv";
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginSetHandleParams {
  /** As typed: with or without @, or a DID. */
  handle: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginHighlightParams {
  /** Where to. */
  move: "next" | "previous" | "none";
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginSubmitHandleParams {
  /** As typed: with or without @, or a DID. */
  handle: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginSubmitParams {
  /** The server's address, as typed; the provider's own if left out. */
  server?: string;
  /** Signs in as a device, which can get push messages; as an app if left out. */
  device?: LoginSubmitDevice;
  /** How the person agrees; browser if left out. */
  grant?: "browser" | "deviceCode";
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the account's list of devices shows. */
export interface LoginSubmitDevice {
  /** What the person calls it. */
  name: string;
  /** The system it runs on, such as LINUX. */
  platform: string;
  /** The shell's version. */
  appVersion?: string;
}

/** What the intent needs. Only with the feature login.createAccount. */
export interface LoginCreateAccountParams {
  /** With whom; grain if left out. */
  provider?: "grain" | "platrium" | "pixiv";
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginCallbackParams {
  /** The one field that may carry a callback URL; it is never echoed. */
  callbackUrl: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginSubmitTokenParams {
  /** The address of the server that made the token, as typed; the configured one if left out. */
  server?: string;
  /** A field that may carry a secret, because the person pastes it; it is never echoed. */
  token: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginCancelParams {
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface LoginDismissProblemParams {
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface AccountsSwitchParams {
  /** The account's id. */
  account: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface AccountsReauthenticateParams {
  /** The account's id. */
  account: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface AccountsMoveParams {
  /** The account's id. */
  account: string;
  /** The account to stand in front of; to the end if left out. */
  before?: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface AccountsDeleteParams {
  /** The account's id. */
  account: string;
  /**
   * The account's handle, as the person typed it after a warning that galleries, profile and
   * drafts go for good; the account's id where it has no handle.
   */
  confirm: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface AccountsSignOutParams {
  /** The account's id. */
  account: string;
  /** Delete the account's drafts as well; false if left out. */
  discardDrafts?: boolean;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface AccountsUnlockParams {
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface DevicesRefreshParams {
  /** The account's id. */
  account: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface DevicesRevokeParams {
  /** The account's id. */
  account: string;
  /** The device's or app's id. */
  client: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface DevicesSetPushParams {
  /** The account's id. */
  account: string;
  /** Who carries the messages. */
  transport: "APNS" | "FCM";
  /**
   * A field that may carry a secret, the address of this device at the transport; it is never
   * echoed.
   */
  token?: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryCreateDraftParams {
  /** What it becomes; gallery if left out. */
  kind?: "gallery" | "story";
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** The draft was made. */
export interface GalleryCreateDraftCreated {
  /** Always true: a refusal is a JSON-RPC error. */
  accepted: true;
  /** The first revision that contains the change, by model. */
  revisions: Record<string, number>;
  /** The new draft's id. */
  draft: string;
}

/** What the intent needs. */
export interface GalleryEditPublishedParams {
  /** The gallery's at-uri. */
  gallery: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** The draft is made; the operation reads the gallery into it. */
export interface GalleryEditPublishedOpened {
  /** Always true: a refusal is a JSON-RPC error. */
  accepted: true;
  /** The operation that goes on after this answer. */
  operation: string;
  /** The first revision that contains the change, by model. */
  revisions: Record<string, number>;
  /** The draft's id; one that was opened before is opened again. */
  draft: string;
}

/** What the intent needs. */
export interface GalleryDeletePublishedParams {
  /** The gallery's at-uri. */
  gallery: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryRetryCrossPostParams {
  /** The draft's id. */
  draft: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryAddPhotosParams {
  /** The draft's id. */
  draft: string;
  /** The files. */
  files: GalleryAddPhotosFile[];
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** One picture file. */
export interface GalleryAddPhotosFile {
  /** Absolute path; recordings leave it out. */
  path: string;
}

/** What the intent needs. */
export interface GallerySetDetailsParams {
  /** The draft's id. */
  draft: string;
  /** The new title. */
  title?: string;
  /** The new description. */
  description?: string;
  /** The new content labels, all of them. */
  labels?: string[];
  /** The new place. */
  location?: GallerySetDetailsLocation;
  /** Publish camera data with the photos. */
  includeExif?: boolean;
  /** Post on Bluesky afterwards. */
  crossPost?: boolean;
  /** Details to remove. */
  clear?: ("location")[];
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** A place. */
export interface GallerySetDetailsLocation {
  /** The H3 cell at resolution 10. */
  h3: string;
  /** What the place is called. */
  name: string;
  /** The place's postal address, as far as it is known. */
  address?: GallerySetDetailsAddress;
}

/** The place's postal address, as far as it is known. */
export interface GallerySetDetailsAddress {
  /** Usually the ISO 3166 code in upper case. */
  country: string;
  /** As written in that country. */
  postalCode?: string;
  /** State, province or the like. */
  region?: string;
  /** Town or city. */
  locality?: string;
  /** Number and road. */
  street?: string;
  /** What stands there, such as a station. */
  name?: string;
}

/** What the intent needs. */
export interface GallerySetAltParams {
  /** The draft's id. */
  draft: string;
  /** The photo's id. */
  photo: string;
  /** The photo in words; empty to remove them. */
  alt: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryMovePhotoParams {
  /** The draft's id. */
  draft: string;
  /** The photo's id. */
  photo: string;
  /** The photo to stand in front of; to the end if left out. */
  before?: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryRemovePhotoParams {
  /** The draft's id. */
  draft: string;
  /** The photo's id. */
  photo: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryPublishParams {
  /** The draft's id. */
  draft: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryCancelPublishParams {
  /** The draft's id. */
  draft: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryRetryParams {
  /** The draft's id. */
  draft: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface GalleryDiscardDraftParams {
  /** The draft's id. */
  draft: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface ShellSetVisibilityParams {
  /** Whether one can. */
  visible: boolean;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

/** What the intent needs. */
export interface ShellNotificationActivatedParams {
  /** The notification's tag. */
  tag: string;
  /** The button's name; the notification itself if left out. */
  action?: string;
  /** Conditions on an intent. */
  _meta?: IntentMeta;
}

// MARK: Effects

/** What the shell is asked. */
export interface UrlOpenArgs {
  /**
   * https or mailto; loopback http where the configuration allows it. A sign-in page's address
   * belongs to nobody else, so recordings leave it out.
   */
  url: string;
  /** What it is for, so a shell may word a prompt. */
  purpose: "account" | "gallery" | "help" | "mail" | "signIn" | (string & {});
}

/** What came of it. */
export interface UrlOpenResult {
  /** A person saying no is an outcome, not an error. */
  outcome: "opened";
}

/** What the shell is asked. */
export interface AuthPresentArgs {
  /** Carries a client id and a one-time request_uri, no more; recordings leave it out. */
  url: string;
  /** How the page's end comes back to the core. */
  callback: AuthPresentCallback;
  /** The core's pick from the shell's list. */
  presentation: "systemSession" | "externalBrowser" | "webview" | (string & {});
  /** Whether cookies and storage must be gone afterwards. */
  ephemeral: boolean;
}

/** What came of it. */
export interface AuthPresentResult {
  /** A person saying no is an outcome, not an error. */
  outcome: "presented" | "callbackDelivered" | "dismissed";
}

/** How the page's end comes back to the core. */
export type AuthPresentCallback = AuthPresentViaCore | AuthPresentViaShell;

/** The core listens on a loopback port; the shell only opens the page. */
export interface AuthPresentViaCore {
  via: "core";
}

/** The shell stops the navigation to this address and sends it with login.callback. */
export interface AuthPresentViaShell {
  via: "shell";
  /** Compared without case. */
  scheme: string;
  /** Compared exactly; the address has none if left out. */
  host?: string;
  /** Compared exactly. */
  path: string;
}

/** What the shell is asked. */
export interface KeyringUnlockArgs {
  /** The key of the message that says why, such as keyring.locked. */
  reason: string;
}

/** What came of it. */
export interface KeyringUnlockResult {
  /** unavailable: this desktop has no way to do it. */
  outcome: "unlocked" | "dismissed" | "unavailable";
}

/** What the shell is asked. */
export interface SchemeRegisterArgs {
  /** Without the colon. */
  scheme: string;
  /** What the desktop calls the program. */
  displayName: string;
}

/** What came of it. */
export interface SchemeRegisterResult {
  /** A person saying no is an outcome, not an error. */
  outcome: "registered" | "alreadyRegistered" | "dismissed";
}

/** What the shell is asked. */
export interface FilesPickArgs {
  /** What may be chosen, such as image/jpeg or image/*. */
  mediaTypes: string[];
  /** Whether more than one may be chosen. */
  multiple: boolean;
  /** How many at most. */
  maxCount: number;
}

/** What came of it. */
export type FilesPickResult = FilesPickPicked | FilesPickDismissed;

/** Files were chosen. */
export interface FilesPickPicked {
  outcome: "picked";
  /** In the order of the choice. */
  files: FilesPickFile[];
}

/** Nothing was chosen. */
export interface FilesPickDismissed {
  outcome: "dismissed";
}

/** One file. */
export interface FilesPickFile {
  /** Absolute path; recordings leave it out. */
  path: string;
  /** The file's name, for the person; recordings leave it out. */
  name: string;
  /** Its size. */
  bytes: number;
  /** What the desktop takes it for. */
  mediaType: string;
}

/** What the shell is asked. */
export interface NotificationShowArgs {
  /** Tells notifications apart. */
  tag: string;
  /** Its first line. */
  title: Message;
  /** The rest. */
  body: Message;
  /** Its buttons, in order; an empty list for none. */
  actions: NotificationShowAction[];
}

/** What came of it. */
export interface NotificationShowResult {
  /** What came of it. */
  outcome: "shown" | "suppressed";
}

/** One button. */
export interface NotificationShowAction {
  /** The name shell.notificationActivated brings back. */
  action: string;
  /** What stands on it. */
  title: Message;
}

/** What the shell is asked. */
export interface NotificationCloseArgs {
  /** The notification's tag. */
  tag: string;
}

/** What came of it. */
export interface NotificationCloseResult {
  /** What came of it. */
  outcome: "closed";
}

/** What the shell is asked. */
export interface ClipboardWriteArgs {
  /** What to put there; never a secret. */
  text: string;
}

/** What came of it. */
export interface ClipboardWriteResult {
  /** What came of it. */
  outcome: "written";
}

/** What the shell is asked. */
export interface ImagePrepareArgs {
  /** Absolute path of the picture; recordings leave it out. */
  path: string;
  /** Pixels across at most. */
  maxWidth: number;
  /** Pixels down at most. */
  maxHeight: number;
  /** Size of the copy at most. */
  maxBytes: number;
  /** What the copy is to be. */
  mediaType: string;
  /** Absolute path to write; recordings leave it out. */
  output: string;
}

/** What came of it. */
export type ImagePrepareResult = ImagePreparePrepared | ImagePrepareUnsupported;

/** The copy is written. */
export interface ImagePreparePrepared {
  outcome: "prepared";
  /** Pixels across, orientation applied. */
  width: number;
  /** Pixels down, orientation applied. */
  height: number;
  /** Size of the copy. */
  bytes: number;
}

/** The shell cannot read the picture, or not make it small enough. */
export interface ImagePrepareUnsupported {
  outcome: "unsupported";
}

// MARK: The protocol itself

/** The params. */
export interface CancelParams {
  /** The id of a running operation. */
  operation: string;
}

/** The result. */
export interface CancelResult {
  /** False when it has already ended. */
  cancelling: boolean;
}

/** The params, shell to core. */
export interface CancelRequestFromShell {
  /** The shell's ids are its own; the core's are c-1, c-2, …. */
  id: EnvelopeId;
}

/** The params, core to shell. */
export interface CancelRequestFromCore {
  /** The shell's ids are its own; the core's are c-1, c-2, …. */
  id: EnvelopeId;
}

/** The params. */
export interface ClosedParams {
  /** The subscription's id, chosen by the shell. */
  subscription: string;
  /** Why. */
  reason: "gone" | "signedOut" | "tooLarge" | "internal" | (string & {});
  /** A failure as a state and operations/ended show it. */
  problem?: Problem;
}

/** The params. */
export interface EndedParams {
  /** The id of a running operation. */
  operation: string;
  /** The name of an intent. */
  intent: IntentName;
  /** The request that started it; absent after a resume. */
  causedBy?: EnvelopeId;
  /** The core continued it on its own. */
  origin?: "resume" | (string & {});
  /** How; failed comes with a problem. */
  outcome: "succeeded" | "failed" | "cancelled";
  /** The first revision that contains the change, by model. */
  revisions: Record<string, number>;
  /** A failure as a state and operations/ended show it. */
  problem?: Problem;
}

/** The shell's ids are its own; the core's are c-1, c-2, …. */
export type EnvelopeId = number | string;

/** Asks for an answer. */
export interface EnvelopeRequest {
  jsonrpc: "2.0";
  /** The shell's ids are its own; the core's are c-1, c-2, …. */
  id: EnvelopeId;
  method: string;
  /** By the method's own schema. */
  params?: JsonObject;
}

/** Asks for none. */
export interface EnvelopeNotification {
  jsonrpc: "2.0";
  method: string;
  /** By the method's own schema. */
  params?: JsonObject;
}

/** Answers a request. */
export interface EnvelopeResponse {
  jsonrpc: "2.0";
  /** The shell's ids are its own; the core's are c-1, c-2, …. */
  id: EnvelopeId;
  /** By the method's own schema; never null. */
  result: JsonObject;
}

/** Refuses a request. */
export interface EnvelopeErrorResponse {
  jsonrpc: "2.0";
  /** null where the request's id could not be read. */
  id: EnvelopeAnsweredId;
  /** Why a request was refused. */
  error: RpcError;
}

/** null where the request's id could not be read. */
export type EnvelopeAnsweredId = number | string | null;

/** Why a request was refused. */
export interface RpcError {
  /** The number of the kind; negative ones are JSON-RPC's own block. */
  code: number;
  /** English for developers, never shown. */
  message: string;
  /** The data of a JSON-RPC error: a problem whose code the error itself has. */
  data: ErrorData;
}

/** The params. */
export interface GetParams {
  /** The name of a model. */
  model: string;
  /** Selects an instance of a parametrised model; each model's schema says what it takes. */
  args?: Record<string, string>;
}

/** The result. */
export interface GetResult {
  /** A schema id below the schema root. */
  schema: string;
  /** Rises by one for every committed change of the instance. */
  revision: number;
  /** The state; its own schema is the one named. */
  state: JsonObject;
}

/** The params. */
export interface InitializeParams {
  /** Best first. */
  protocolVersions: number[];
  /** Who is asking. */
  client: InitializeParamsClient;
  /** What the shell can do; what is not named is not supported. */
  capabilities?: InitializeParamsCapabilities;
  /** The models the shell will use, each once. */
  models?: InitializeParamsModel[];
  /** What the shell can read. */
  limits?: InitializeParamsLimits;
}

/** Who is asking. */
export interface InitializeParamsClient {
  /** The shell's name. */
  name: string;
  /** The shell's version. */
  version: string;
  /** The core ends when this process does; leave it out where process ids are not shared. */
  processId?: number;
  /** BCP 47; affects nothing but the order of lists the core sorts. */
  locale?: string;
}

/** What the shell can do; what is not named is not supported. */
export interface InitializeParamsCapabilities {
  /** The forms of snapshots it can read. */
  delivery?: ("merge" | "full" | (string & {}))[];
  /** Whether it wants $/progress. */
  progress?: boolean;
  /** The effects it can perform, by name. */
  effects?: Record<string, InitializeParamsEffect>;
}

/** How far it can perform one effect. */
export interface InitializeParamsEffect {
  /** The highest version it knows. */
  version: number;
  /** For auth.present: the ways it can show a page. */
  presentations?: ("systemSession" | "externalBrowser" | "webview" | (string & {}))[];
}

/** One model and the schemas the shell can read. */
export interface InitializeParamsModel {
  /** The name of a model. */
  model: string;
  /** Best first. */
  schemas: string[];
}

/** What the shell can read. */
export interface InitializeParamsLimits {
  /** One message, in bytes; 1048576 if left out. */
  maxMessageBytes?: number;
}

/** The result. */
export interface InitializeResult {
  /** The one in use. */
  protocolVersion: number;
  /** Fresh per process. */
  session: string;
  /** The program. */
  core: InitializeResultCore;
  /** What schema ids are relative to; an identifier, never fetched. */
  schemaRoot: string;
  /** Rises with every accepted change of the schemas; gate on features instead. */
  schemaRevision: number;
  /** The schema picked for each model. */
  models: InitializeResultModel[];
  /** What this session can do. */
  capabilities: InitializeResultCapabilities;
  /** What this pair of shell and core cannot do, and why. */
  missing: InitializeResultMissing[];
  /** The limits of this session. */
  limits: InitializeResultLimits;
}

/** The program. */
export interface InitializeResultCore {
  name: string;
  /** For logs and people; gate on features instead. */
  version: string;
}

/** One model and its schema in this session. */
export interface InitializeResultModel {
  /** The name of a model. */
  model: string;
  /** A schema id below the schema root. */
  schema: string;
}

/** What this session can do. */
export interface InitializeResultCapabilities {
  /** The forms of snapshots both know. */
  delivery: ("merge" | "full" | (string & {}))[];
  /** Whether $/progress will be sent. */
  progress: boolean;
  /** The effects the core may ask for. */
  effects: string[];
  /** Optional behaviour of this core. */
  features: string[];
}

/** One model or feature that is off. */
export interface InitializeResultMissing {
  /** The name of a model. */
  model?: string;
  feature?: string;
  /**
   * effect:<name>: the shell lacks it; model: the core has no such model; schema: none in
   * common.
   */
  needs: string;
}

/** The limits of this session. */
export interface InitializeResultLimits {
  maxMessageBytes: number;
  maxDepth: number;
  maxInFlight: number;
  maxSubscriptions: number;
  maxRateHz: number;
}

/** What was logged; 8 KiB at most. */
export interface LogLine {
  /** When. */
  ts: string;
  /** fault is a bug in the core. */
  level: "trace" | "debug" | "info" | "warn" | "error" | "fault";
  /** The part of the core that speaks. */
  target: string;
  /** Fixed words; what varies is in fields. */
  msg: string;
  /** The id of a running operation. */
  op?: string;
  /** The id of the request it belongs to, as text. */
  req?: string;
  /** What varies, by name; never a secret. */
  fields?: JsonObject;
}

/** The result. */
export interface PendingResult {
  /** Oldest first. */
  pending: PendingResultEffect[];
}

/** One open effect. */
export interface PendingResultEffect {
  /** The shell's ids are its own; the core's are c-1, c-2, …. */
  id: EnvelopeId;
  /** The params. */
  params: PerformParams;
}

/** The params. */
export interface PerformParams {
  /** The effect's name. */
  effect: string;
  /** Of the effect. */
  version: number;
  /** The id of a running operation. */
  operation: string;
  /** The request that led to it. */
  causedBy?: EnvelopeId;
  /** The core continued the operation on its own. */
  origin?: "resume" | (string & {});
  /** What the effect needs; its own schema is the effect's. */
  args: JsonObject;
}

/** The result. */
export interface PingResult {
  /** Since the process began. */
  uptimeMs: number;
  /** Age of the oldest unanswered request; over 3000 means not responding. */
  oldestPendingMs: number;
  /** Unanswered requests. */
  inFlight: number;
  /** Open subscriptions. */
  subscriptions: number;
  /** Waiting to be written. */
  queuedControlBytes: number;
  /** Changes that were folded into a later snapshot. */
  coalesced: number;
  /** Notifications nobody knew. */
  ignoredNotifications: number;
}

/** The params. */
export interface ProgressParams {
  /** The operation's id: JSON-RPC's habit calls it a token; it opens nothing. */
  token: string;
  /** The newest value. */
  value: ProgressValue;
}

/** The newest value. */
export interface ProgressValue {
  /** Never falls. */
  done: number;
  total: number;
  unit: "bytes" | "photos" | (string & {});
}

/** The params. */
export interface ResyncParams {
  /** The subscription's id, chosen by the shell. */
  subscription: string;
}

/** The params. */
export interface SetLevelParams {
  /** The lowest level written. */
  level: "trace" | "debug" | "info" | "warn" | "error" | "fault";
  /** One target only; all if left out. */
  target?: string;
}

/** The params. */
export interface SnapshotParams {
  /** The subscription's id, chosen by the shell. */
  subscription: string;
  /** The name of a model. */
  model: string;
  /** A schema id below the schema root. */
  schema: string;
  /** Rises by one for every committed change of the instance. */
  revision: number;
  /** All snapshots of one frame show one instant of the core. */
  frame: number;
  /** The shell's requests whose effect is in here, oldest first, newest 64. */
  causedBy: EnvelopeId[];
  /** The whole state; its own schema is the one named. */
  state?: JsonObject;
  /** The revision merge applies to; comes with merge and without state. */
  base?: number;
  /** An RFC 7396 patch; a null in it only ever means remove. */
  merge?: JsonObject;
  /** Another snapshot of the same frame follows. */
  more?: true;
  /** Test profile only: SHA-256 of the applied state, keys sorted, in hexadecimal. */
  digest?: string;
}

/** The params. */
export interface SubscribeParams {
  /** The subscription's id, chosen by the shell. */
  subscription: string;
  /** The name of a model. */
  model: string;
  /** Selects an instance of a parametrised model; each model's schema says what it takes. */
  args?: Record<string, string>;
  /** full if left out. */
  delivery?: "full" | "merge";
  /** Snapshots a second; 30 if left out. */
  maxRateHz?: number;
}

/** The result. */
export interface SubscribeResult {
  /** The subscription's id, chosen by the shell. */
  subscription: string;
  /** A schema id below the schema root. */
  schema: string;
  /** Rises by one for every committed change of the instance. */
  revision: number;
}

/** The params. */
export interface UnsubscribeParams {
  /** The subscription's id, chosen by the shell. */
  subscription: string;
}

// MARK: Tables by name

/** The models: what selects an instance, and the state. */
export interface Models {
  /** Everything the sign-in screen shows. */
  login: { state: LoginState; args: Record<string, never>; schema: "v1/models/login.json" };
  /** The accounts side by side, and who is active. */
  accounts: { state: AccountsState; args: Record<string, never>; schema: "v1/models/accounts.json" };
  /** The unfinished galleries and stories of the active account. */
  drafts: { state: DraftsState; args: Record<string, never>; schema: "v1/models/drafts.json" };
  /** The devices and apps that hold a token of one account. */
  devices: { state: DevicesState; args: DevicesArgs; schema: "v1/models/devices.json" };
  /** One draft, from the first photo to the published gallery. */
  galleryPublish: { state: GalleryPublishState; args: GalleryPublishArgs; schema: "v1/models/gallery-publish.json" };
}

/** The intents: requests from shell to core. */
export interface Intents {
  /** Opens the sign-in form; with accounts present it adds another. */
  "login.start": { params: LoginStartParams; result: IntentVerdict };
  /** Types into the handle field and drives the suggestions. */
  "login.setHandle": { params: LoginSetHandleParams; result: IntentVerdict };
  /** Moves through the suggestions by keyboard. */
  "login.highlight": { params: LoginHighlightParams; result: IntentVerdict };
  /** Signs in with a handle: resolve, server, browser, exchange. */
  "login.submitHandle": { params: LoginSubmitHandleParams; result: IntentVerdict };
  /** Signs in with a provider that needs no handle. */
  "login.submit": { params: LoginSubmitParams; result: IntentVerdict };
  /** Opens a provider's sign-up page. */
  "login.createAccount": { params: LoginCreateAccountParams; result: IntentVerdict };
  /** Hands over the URL the browser came back with; matched to the waiting operation. */
  "login.callback": { params: LoginCallbackParams; result: IntentVerdict };
  /** Signs in with a token made by hand, on a machine without a browser. */
  "login.submitToken": { params: LoginSubmitTokenParams; result: IntentVerdict };
  /** Ends the running sign-in; other accounts stay as they are. */
  "login.cancel": { params: LoginCancelParams; result: IntentVerdict };
  /** Clears the problem of the sign-in form. */
  "login.dismissProblem": { params: LoginDismissProblemParams; result: IntentVerdict };
  /** Makes another account the active one, in one frame for all models. */
  "accounts.switch": { params: AccountsSwitchParams; result: IntentVerdict };
  /** Signs in again to an expired or under-scoped account. */
  "accounts.reauthenticate": { params: AccountsReauthenticateParams; result: IntentVerdict };
  /** Changes the order of the list. */
  "accounts.move": { params: AccountsMoveParams; result: IntentVerdict };
  /**
   * Deletes what one account has on Grain, at its servers, after a fresh sign-in to that very
   * account; then forgets it here, its drafts included. Signing out never deletes.
   */
  "accounts.delete": { params: AccountsDeleteParams; result: IntentVerdict };
  /** Revokes and forgets one account; an expired one is removed from the list. */
  "accounts.signOut": { params: AccountsSignOutParams; result: IntentVerdict };
  /**
   * Tries again to open the accounts, whose key is out of reach; a shell that declared
   * keyring.unlock is asked to help where the key store is locked.
   */
  "accounts.unlock": { params: AccountsUnlockParams; result: IntentVerdict };
  /** Reads the list anew. */
  "devices.refresh": { params: DevicesRefreshParams; result: IntentVerdict };
  /** Takes the token from a device or app; from this one it signs out. */
  "devices.revoke": { params: DevicesRevokeParams; result: IntentVerdict };
  /** Tells the server where push messages for this device go; without a token, nowhere. */
  "devices.setPush": { params: DevicesSetPushParams; result: IntentVerdict };
  /** Starts a draft. */
  "gallery.createDraft": { params: GalleryCreateDraftParams; result: GalleryCreateDraftCreated };
  /** Opens a draft over a published gallery; publishing it writes the difference. */
  "gallery.editPublished": { params: GalleryEditPublishedParams; result: GalleryEditPublishedOpened };
  /** Deletes a published gallery and everything that hangs off it. */
  "gallery.deletePublished": { params: GalleryDeletePublishedParams; result: IntentVerdict };
  /** Tries the post on Bluesky again. */
  "gallery.retryCrossPost": { params: GalleryRetryCrossPostParams; result: IntentVerdict };
  /** Adds picture files to a draft, in the order given. */
  "gallery.addPhotos": { params: GalleryAddPhotosParams; result: IntentVerdict };
  /** Changes what is named; what is left out stays as it is. */
  "gallery.setDetails": { params: GallerySetDetailsParams; result: IntentVerdict };
  /** Describes one photo for people who cannot see it. */
  "gallery.setAlt": { params: GallerySetAltParams; result: IntentVerdict };
  /** Moves a photo within the draft. */
  "gallery.movePhoto": { params: GalleryMovePhotoParams; result: IntentVerdict };
  /** Takes a photo out of the draft. */
  "gallery.removePhoto": { params: GalleryRemovePhotoParams; result: IntentVerdict };
  /** Prepares, uploads, and writes all records in one commit; resumable. */
  "gallery.publish": { params: GalleryPublishParams; result: IntentVerdict };
  /** Stops a publish at a safe point; the draft is kept. */
  "gallery.cancelPublish": { params: GalleryCancelPublishParams; result: IntentVerdict };
  /** Continues a publish where it stopped. */
  "gallery.retry": { params: GalleryRetryParams; result: IntentVerdict };
  /** Deletes the draft; its model instance closes with gone. */
  "gallery.discardDraft": { params: GalleryDiscardDraftParams; result: IntentVerdict };
  /** Says whether any window can be seen; hints polling and pre-fetch. */
  "shell.setVisibility": { params: ShellSetVisibilityParams; result: IntentVerdict };
  /** Says that the person chose a notification or one of its buttons. No core serves it yet. */
  "shell.notificationActivated": { params: ShellNotificationActivatedParams; result: IntentVerdict };
}

/** The effects: what a core asks of a shell with effects/perform. */
export interface Effects {
  /** Opens a page in the person's browser or mail program. */
  "url.open": { args: UrlOpenArgs; result: UrlOpenResult };
  /** Shows a sign-in page and brings back where it led. */
  "auth.present": { args: AuthPresentArgs; result: AuthPresentResult };
  /**
   * Helps the person to unlock the desktop's key store. The core reads the key itself; no value
   * crosses the pipe in either direction.
   */
  "keyring.unlock": { args: KeyringUnlockArgs; result: KeyringUnlockResult };
  /** Makes the shell the program for an address scheme. */
  "scheme.register": { args: SchemeRegisterArgs; result: SchemeRegisterResult };
  /** Lets the person choose picture files. No core serves it yet. */
  "files.pick": { args: FilesPickArgs; result: FilesPickResult };
  /** Shows a notification, or replaces the one with the same tag. No core serves it yet. */
  "notification.show": { args: NotificationShowArgs; result: NotificationShowResult };
  /** Takes a notification away; one that is gone already is closed. No core serves it yet. */
  "notification.close": { args: NotificationCloseArgs; result: NotificationCloseResult };
  /** Puts text on the clipboard. No core serves it yet. */
  "clipboard.write": { args: ClipboardWriteArgs; result: ClipboardWriteResult };
  /** Makes a smaller copy of a picture file, as it is shown. No core serves it yet. */
  "image.prepare": { args: ImagePrepareArgs; result: ImagePrepareResult };
}

/** The protocol's own requests from shell to core. */
export interface Requests {
  /**
   * What the shell is and can do. Open: it is said before anybody knows what the other side
   * understands.
   */
  initialize: { params: InitializeParams; result: InitializeResult };
  /** Saves everything and stops; the exit notification follows. */
  shutdown: { params: Record<string, never>; result: JsonObject };
  /** Asks whether the pipe is alive; answered by the I/O layer. */
  ping: { params: Record<string, never>; result: PingResult };
  /** Changes what is logged to stderr. */
  "log/setLevel": { params: SetLevelParams; result: JsonObject };
  /** Opens one delivery of one model instance. */
  "models/subscribe": { params: SubscribeParams; result: SubscribeResult };
  /** Ends a subscription. */
  "models/unsubscribe": { params: UnsubscribeParams; result: JsonObject };
  /** Asks for a full snapshot after a mismatch of revisions. */
  "models/resync": { params: ResyncParams; result: JsonObject };
  /** Reads a model once. */
  "models/get": { params: GetParams; result: GetResult };
  /** Asks an operation to stop. */
  "operations/cancel": { params: CancelParams; result: CancelResult };
  /** Asks which effects wait for an answer, after a window was reloaded. */
  "effects/pending": { params: Record<string, never>; result: PendingResult };
}

/** Notifications from shell to core. */
export interface ShellNotifications {
  /** Ends the process. */
  exit: { params: Record<string, never> };
  /** Withdraws a request that is not answered yet; it is answered all the same. */
  "$/cancelRequest": { params: CancelRequestFromShell };
}

/** Requests from core to shell. */
export interface CoreRequests {
  /** Asks the shell for something only it can do. */
  "effects/perform": { params: PerformParams };
}

/** Notifications from core to shell. */
export interface CoreNotifications {
  /** The state of one subscription, whole or as the difference to the last one delivered. */
  "models/snapshot": { params: SnapshotParams };
  /** A subscription has ended because its instance has. */
  "models/closed": { params: ClosedParams };
  /** An operation has ended; the snapshots that show it were written before. */
  "operations/ended": { params: EndedParams };
  /** How far an operation has come; only the newest value is kept. */
  "$/progress": { params: ProgressParams };
  /** Withdraws a request that is not answered yet; it is answered all the same. */
  "$/cancelRequest": { params: CancelRequestFromCore };
}

/** Optional behaviour a core may announce; shells gate on these names. */
export type FeatureName = "gallery.resume" | "login.signIn" | "login.createAccount" | (string & {});
