/// The user-level verbs of the bridge (bridge-protocol §5), as `can` lists them.
///
/// Each has a schema `Schemas/v1/intents/<name>.json`.
package enum IntentName: String, Codable, CaseIterable, Sendable {
  /// Opens the sign-in form.
  case loginStart = "login.start"
  /// Types into the handle field.
  case loginSetHandle = "login.setHandle"
  /// Moves through the suggestions by keyboard.
  case loginHighlight = "login.highlight"
  /// Signs in with a handle.
  case loginSubmitHandle = "login.submitHandle"
  /// Opens a provider's sign-up page.
  case loginCreateAccount = "login.createAccount"
  /// Hands over the URL the browser came back with.
  case loginCallback = "login.callback"
  /// Ends the running sign-in.
  case loginCancel = "login.cancel"
  /// Clears the problem of the sign-in form.
  case loginDismissProblem = "login.dismissProblem"

  /// Makes another account the active one.
  case accountsSwitch = "accounts.switch"
  /// Signs in again to an expired or under-scoped account.
  case accountsReauthenticate = "accounts.reauthenticate"
  /// Changes the order of the list.
  case accountsMove = "accounts.move"
  /// Revokes and forgets one account.
  case accountsSignOut = "accounts.signOut"

  /// Starts a draft.
  case galleryCreateDraft = "gallery.createDraft"
  /// Adds picture files to a draft.
  case galleryAddPhotos = "gallery.addPhotos"
  /// Changes title, description, labels, location and switches.
  case gallerySetDetails = "gallery.setDetails"
  /// Changes one photo's description for people who cannot see it.
  case gallerySetAlt = "gallery.setAlt"
  /// Moves a photo within the draft.
  case galleryMovePhoto = "gallery.movePhoto"
  /// Takes a photo out of the draft.
  case galleryRemovePhoto = "gallery.removePhoto"
  /// Publishes the draft.
  case galleryPublish = "gallery.publish"
  /// Stops a publish at a safe point.
  case galleryCancelPublish = "gallery.cancelPublish"
  /// Continues a publish where it stopped.
  case galleryRetry = "gallery.retry"
  /// Deletes the draft.
  case galleryDiscardDraft = "gallery.discardDraft"

  /// Says whether the shell's windows can be seen; needs no entry in `can`.
  case shellSetVisibility = "shell.setVisibility"
}
