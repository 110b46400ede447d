// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

/// The user-level verbs of the bridge (bridge-protocol §5), as `can` lists them.
///
/// Each has a schema `Schemas/v1/intents/<name>.json`.
package enum IntentName: String, Codable, CaseIterable, Sendable {
  /// Opens the sign-in form; with accounts present it adds another.
  case loginStart = "login.start"
  /// Types into the handle field and drives the suggestions.
  case loginSetHandle = "login.setHandle"
  /// Moves through the suggestions by keyboard.
  case loginHighlight = "login.highlight"
  /// Signs in with a handle: resolve, server, browser, exchange.
  case loginSubmitHandle = "login.submitHandle"
  /// Signs in with a provider that needs no handle.
  case loginSubmit = "login.submit"
  /// Opens a provider's sign-up page.
  case loginCreateAccount = "login.createAccount"
  /// Hands over the URL the browser came back with; matched to the waiting operation.
  case loginCallback = "login.callback"
  /// Signs in with a token made by hand, on a machine without a browser.
  case loginSubmitToken = "login.submitToken"
  /// Ends the running sign-in; other accounts stay as they are.
  case loginCancel = "login.cancel"
  /// Clears the problem of the sign-in form.
  case loginDismissProblem = "login.dismissProblem"
  /// Makes another account the active one, in one frame for all models.
  case accountsSwitch = "accounts.switch"
  /// Signs in again to an expired or under-scoped account.
  case accountsReauthenticate = "accounts.reauthenticate"
  /// Changes the order of the list.
  case accountsMove = "accounts.move"
  /// Deletes what one account has on Grain, at its servers, after a fresh sign-in to that very
  /// account; then forgets it here, its drafts included. Signing out never deletes.
  case accountsDelete = "accounts.delete"
  /// Revokes and forgets one account; an expired one is removed from the list.
  case accountsSignOut = "accounts.signOut"
  /// Tries again to open the accounts, whose key is out of reach; a shell that declared
  /// keyring.unlock is asked to help where the key store is locked.
  case accountsUnlock = "accounts.unlock"
  /// Reads the list anew.
  case devicesRefresh = "devices.refresh"
  /// Takes the token from a device or app; from this one it signs out.
  case devicesRevoke = "devices.revoke"
  /// Tells the server where push messages for this device go; without a token, nowhere.
  case devicesSetPush = "devices.setPush"
  /// Starts a draft.
  case galleryCreateDraft = "gallery.createDraft"
  /// Opens a draft over a published gallery; publishing it writes the difference.
  case galleryEditPublished = "gallery.editPublished"
  /// Deletes a published gallery and everything that hangs off it.
  case galleryDeletePublished = "gallery.deletePublished"
  /// Tries the post on Bluesky again.
  case galleryRetryCrossPost = "gallery.retryCrossPost"
  /// Adds picture files to a draft, in the order given.
  case galleryAddPhotos = "gallery.addPhotos"
  /// Changes what is named; what is left out stays as it is.
  case gallerySetDetails = "gallery.setDetails"
  /// Describes one photo for people who cannot see it.
  case gallerySetAlt = "gallery.setAlt"
  /// Moves a photo within the draft.
  case galleryMovePhoto = "gallery.movePhoto"
  /// Takes a photo out of the draft.
  case galleryRemovePhoto = "gallery.removePhoto"
  /// Prepares, uploads, and writes all records in one commit; resumable.
  case galleryPublish = "gallery.publish"
  /// Stops a publish at a safe point; the draft is kept.
  case galleryCancelPublish = "gallery.cancelPublish"
  /// Continues a publish where it stopped.
  case galleryRetry = "gallery.retry"
  /// Deletes the draft; its model instance closes with gone.
  case galleryDiscardDraft = "gallery.discardDraft"
  /// Says whether any window can be seen; hints polling and pre-fetch.
  case shellSetVisibility = "shell.setVisibility"
}
