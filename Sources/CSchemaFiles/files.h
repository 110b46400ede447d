// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.

static const unsigned char file0[] = {
#embed "../../Schemas/v1/errors.json"
};
static const unsigned char file1[] = {
#embed "../../Schemas/v1/manifest.json"
};
static const unsigned char file2[] = {
#embed "../../Schemas/v1/common/intent.json"
};
static const unsigned char file3[] = {
#embed "../../Schemas/v1/common/media.json"
};
static const unsigned char file4[] = {
#embed "../../Schemas/v1/common/message.json"
};
static const unsigned char file5[] = {
#embed "../../Schemas/v1/common/model-header.json"
};
static const unsigned char file6[] = {
#embed "../../Schemas/v1/common/problem.json"
};
static const unsigned char file7[] = {
#embed "../../Schemas/v1/effects/auth.present.json"
};
static const unsigned char file8[] = {
#embed "../../Schemas/v1/effects/clipboard.write.json"
};
static const unsigned char file9[] = {
#embed "../../Schemas/v1/effects/files.pick.json"
};
static const unsigned char file10[] = {
#embed "../../Schemas/v1/effects/image.prepare.json"
};
static const unsigned char file11[] = {
#embed "../../Schemas/v1/effects/keyring.unlock.json"
};
static const unsigned char file12[] = {
#embed "../../Schemas/v1/effects/notification.close.json"
};
static const unsigned char file13[] = {
#embed "../../Schemas/v1/effects/notification.show.json"
};
static const unsigned char file14[] = {
#embed "../../Schemas/v1/effects/scheme.register.json"
};
static const unsigned char file15[] = {
#embed "../../Schemas/v1/effects/url.open.json"
};
static const unsigned char file16[] = {
#embed "../../Schemas/v1/intents/accounts.delete.json"
};
static const unsigned char file17[] = {
#embed "../../Schemas/v1/intents/accounts.move.json"
};
static const unsigned char file18[] = {
#embed "../../Schemas/v1/intents/accounts.reauthenticate.json"
};
static const unsigned char file19[] = {
#embed "../../Schemas/v1/intents/accounts.signOut.json"
};
static const unsigned char file20[] = {
#embed "../../Schemas/v1/intents/accounts.switch.json"
};
static const unsigned char file21[] = {
#embed "../../Schemas/v1/intents/accounts.unlock.json"
};
static const unsigned char file22[] = {
#embed "../../Schemas/v1/intents/devices.refresh.json"
};
static const unsigned char file23[] = {
#embed "../../Schemas/v1/intents/devices.revoke.json"
};
static const unsigned char file24[] = {
#embed "../../Schemas/v1/intents/devices.setPush.json"
};
static const unsigned char file25[] = {
#embed "../../Schemas/v1/intents/gallery.addPhotos.json"
};
static const unsigned char file26[] = {
#embed "../../Schemas/v1/intents/gallery.cancelPublish.json"
};
static const unsigned char file27[] = {
#embed "../../Schemas/v1/intents/gallery.createDraft.json"
};
static const unsigned char file28[] = {
#embed "../../Schemas/v1/intents/gallery.deletePublished.json"
};
static const unsigned char file29[] = {
#embed "../../Schemas/v1/intents/gallery.discardDraft.json"
};
static const unsigned char file30[] = {
#embed "../../Schemas/v1/intents/gallery.editPublished.json"
};
static const unsigned char file31[] = {
#embed "../../Schemas/v1/intents/gallery.movePhoto.json"
};
static const unsigned char file32[] = {
#embed "../../Schemas/v1/intents/gallery.publish.json"
};
static const unsigned char file33[] = {
#embed "../../Schemas/v1/intents/gallery.removePhoto.json"
};
static const unsigned char file34[] = {
#embed "../../Schemas/v1/intents/gallery.retry.json"
};
static const unsigned char file35[] = {
#embed "../../Schemas/v1/intents/gallery.retryCrossPost.json"
};
static const unsigned char file36[] = {
#embed "../../Schemas/v1/intents/gallery.setAlt.json"
};
static const unsigned char file37[] = {
#embed "../../Schemas/v1/intents/gallery.setDetails.json"
};
static const unsigned char file38[] = {
#embed "../../Schemas/v1/intents/login.callback.json"
};
static const unsigned char file39[] = {
#embed "../../Schemas/v1/intents/login.cancel.json"
};
static const unsigned char file40[] = {
#embed "../../Schemas/v1/intents/login.createAccount.json"
};
static const unsigned char file41[] = {
#embed "../../Schemas/v1/intents/login.dismissProblem.json"
};
static const unsigned char file42[] = {
#embed "../../Schemas/v1/intents/login.highlight.json"
};
static const unsigned char file43[] = {
#embed "../../Schemas/v1/intents/login.setHandle.json"
};
static const unsigned char file44[] = {
#embed "../../Schemas/v1/intents/login.start.json"
};
static const unsigned char file45[] = {
#embed "../../Schemas/v1/intents/login.submit.json"
};
static const unsigned char file46[] = {
#embed "../../Schemas/v1/intents/login.submitHandle.json"
};
static const unsigned char file47[] = {
#embed "../../Schemas/v1/intents/login.submitToken.json"
};
static const unsigned char file48[] = {
#embed "../../Schemas/v1/intents/shell.notificationActivated.json"
};
static const unsigned char file49[] = {
#embed "../../Schemas/v1/intents/shell.setVisibility.json"
};
static const unsigned char file50[] = {
#embed "../../Schemas/v1/models/accounts.json"
};
static const unsigned char file51[] = {
#embed "../../Schemas/v1/models/devices.json"
};
static const unsigned char file52[] = {
#embed "../../Schemas/v1/models/drafts.json"
};
static const unsigned char file53[] = {
#embed "../../Schemas/v1/models/gallery-publish.json"
};
static const unsigned char file54[] = {
#embed "../../Schemas/v1/models/login.json"
};
static const unsigned char file55[] = {
#embed "../../Schemas/v1/protocol/cancel.params.json"
};
static const unsigned char file56[] = {
#embed "../../Schemas/v1/protocol/cancel.result.json"
};
static const unsigned char file57[] = {
#embed "../../Schemas/v1/protocol/cancelRequest.json"
};
static const unsigned char file58[] = {
#embed "../../Schemas/v1/protocol/closed.json"
};
static const unsigned char file59[] = {
#embed "../../Schemas/v1/protocol/ended.json"
};
static const unsigned char file60[] = {
#embed "../../Schemas/v1/protocol/envelope.json"
};
static const unsigned char file61[] = {
#embed "../../Schemas/v1/protocol/error.json"
};
static const unsigned char file62[] = {
#embed "../../Schemas/v1/protocol/exit.json"
};
static const unsigned char file63[] = {
#embed "../../Schemas/v1/protocol/get.params.json"
};
static const unsigned char file64[] = {
#embed "../../Schemas/v1/protocol/get.result.json"
};
static const unsigned char file65[] = {
#embed "../../Schemas/v1/protocol/initialize.params.json"
};
static const unsigned char file66[] = {
#embed "../../Schemas/v1/protocol/initialize.result.json"
};
static const unsigned char file67[] = {
#embed "../../Schemas/v1/protocol/log.json"
};
static const unsigned char file68[] = {
#embed "../../Schemas/v1/protocol/pending.params.json"
};
static const unsigned char file69[] = {
#embed "../../Schemas/v1/protocol/pending.result.json"
};
static const unsigned char file70[] = {
#embed "../../Schemas/v1/protocol/perform.params.json"
};
static const unsigned char file71[] = {
#embed "../../Schemas/v1/protocol/ping.params.json"
};
static const unsigned char file72[] = {
#embed "../../Schemas/v1/protocol/ping.result.json"
};
static const unsigned char file73[] = {
#embed "../../Schemas/v1/protocol/progress.json"
};
static const unsigned char file74[] = {
#embed "../../Schemas/v1/protocol/resync.params.json"
};
static const unsigned char file75[] = {
#embed "../../Schemas/v1/protocol/resync.result.json"
};
static const unsigned char file76[] = {
#embed "../../Schemas/v1/protocol/setLevel.params.json"
};
static const unsigned char file77[] = {
#embed "../../Schemas/v1/protocol/setLevel.result.json"
};
static const unsigned char file78[] = {
#embed "../../Schemas/v1/protocol/shutdown.params.json"
};
static const unsigned char file79[] = {
#embed "../../Schemas/v1/protocol/shutdown.result.json"
};
static const unsigned char file80[] = {
#embed "../../Schemas/v1/protocol/snapshot.json"
};
static const unsigned char file81[] = {
#embed "../../Schemas/v1/protocol/subscribe.params.json"
};
static const unsigned char file82[] = {
#embed "../../Schemas/v1/protocol/subscribe.result.json"
};
static const unsigned char file83[] = {
#embed "../../Schemas/v1/protocol/unsubscribe.params.json"
};
static const unsigned char file84[] = {
#embed "../../Schemas/v1/protocol/unsubscribe.result.json"
};

static const struct grain_schema_file files[] = {
  {"v1/errors.json", file0, sizeof(file0)},
  {"v1/manifest.json", file1, sizeof(file1)},
  {"v1/common/intent.json", file2, sizeof(file2)},
  {"v1/common/media.json", file3, sizeof(file3)},
  {"v1/common/message.json", file4, sizeof(file4)},
  {"v1/common/model-header.json", file5, sizeof(file5)},
  {"v1/common/problem.json", file6, sizeof(file6)},
  {"v1/effects/auth.present.json", file7, sizeof(file7)},
  {"v1/effects/clipboard.write.json", file8, sizeof(file8)},
  {"v1/effects/files.pick.json", file9, sizeof(file9)},
  {"v1/effects/image.prepare.json", file10, sizeof(file10)},
  {"v1/effects/keyring.unlock.json", file11, sizeof(file11)},
  {"v1/effects/notification.close.json", file12, sizeof(file12)},
  {"v1/effects/notification.show.json", file13, sizeof(file13)},
  {"v1/effects/scheme.register.json", file14, sizeof(file14)},
  {"v1/effects/url.open.json", file15, sizeof(file15)},
  {"v1/intents/accounts.delete.json", file16, sizeof(file16)},
  {"v1/intents/accounts.move.json", file17, sizeof(file17)},
  {"v1/intents/accounts.reauthenticate.json", file18, sizeof(file18)},
  {"v1/intents/accounts.signOut.json", file19, sizeof(file19)},
  {"v1/intents/accounts.switch.json", file20, sizeof(file20)},
  {"v1/intents/accounts.unlock.json", file21, sizeof(file21)},
  {"v1/intents/devices.refresh.json", file22, sizeof(file22)},
  {"v1/intents/devices.revoke.json", file23, sizeof(file23)},
  {"v1/intents/devices.setPush.json", file24, sizeof(file24)},
  {"v1/intents/gallery.addPhotos.json", file25, sizeof(file25)},
  {"v1/intents/gallery.cancelPublish.json", file26, sizeof(file26)},
  {"v1/intents/gallery.createDraft.json", file27, sizeof(file27)},
  {"v1/intents/gallery.deletePublished.json", file28, sizeof(file28)},
  {"v1/intents/gallery.discardDraft.json", file29, sizeof(file29)},
  {"v1/intents/gallery.editPublished.json", file30, sizeof(file30)},
  {"v1/intents/gallery.movePhoto.json", file31, sizeof(file31)},
  {"v1/intents/gallery.publish.json", file32, sizeof(file32)},
  {"v1/intents/gallery.removePhoto.json", file33, sizeof(file33)},
  {"v1/intents/gallery.retry.json", file34, sizeof(file34)},
  {"v1/intents/gallery.retryCrossPost.json", file35, sizeof(file35)},
  {"v1/intents/gallery.setAlt.json", file36, sizeof(file36)},
  {"v1/intents/gallery.setDetails.json", file37, sizeof(file37)},
  {"v1/intents/login.callback.json", file38, sizeof(file38)},
  {"v1/intents/login.cancel.json", file39, sizeof(file39)},
  {"v1/intents/login.createAccount.json", file40, sizeof(file40)},
  {"v1/intents/login.dismissProblem.json", file41, sizeof(file41)},
  {"v1/intents/login.highlight.json", file42, sizeof(file42)},
  {"v1/intents/login.setHandle.json", file43, sizeof(file43)},
  {"v1/intents/login.start.json", file44, sizeof(file44)},
  {"v1/intents/login.submit.json", file45, sizeof(file45)},
  {"v1/intents/login.submitHandle.json", file46, sizeof(file46)},
  {"v1/intents/login.submitToken.json", file47, sizeof(file47)},
  {"v1/intents/shell.notificationActivated.json", file48, sizeof(file48)},
  {"v1/intents/shell.setVisibility.json", file49, sizeof(file49)},
  {"v1/models/accounts.json", file50, sizeof(file50)},
  {"v1/models/devices.json", file51, sizeof(file51)},
  {"v1/models/drafts.json", file52, sizeof(file52)},
  {"v1/models/gallery-publish.json", file53, sizeof(file53)},
  {"v1/models/login.json", file54, sizeof(file54)},
  {"v1/protocol/cancel.params.json", file55, sizeof(file55)},
  {"v1/protocol/cancel.result.json", file56, sizeof(file56)},
  {"v1/protocol/cancelRequest.json", file57, sizeof(file57)},
  {"v1/protocol/closed.json", file58, sizeof(file58)},
  {"v1/protocol/ended.json", file59, sizeof(file59)},
  {"v1/protocol/envelope.json", file60, sizeof(file60)},
  {"v1/protocol/error.json", file61, sizeof(file61)},
  {"v1/protocol/exit.json", file62, sizeof(file62)},
  {"v1/protocol/get.params.json", file63, sizeof(file63)},
  {"v1/protocol/get.result.json", file64, sizeof(file64)},
  {"v1/protocol/initialize.params.json", file65, sizeof(file65)},
  {"v1/protocol/initialize.result.json", file66, sizeof(file66)},
  {"v1/protocol/log.json", file67, sizeof(file67)},
  {"v1/protocol/pending.params.json", file68, sizeof(file68)},
  {"v1/protocol/pending.result.json", file69, sizeof(file69)},
  {"v1/protocol/perform.params.json", file70, sizeof(file70)},
  {"v1/protocol/ping.params.json", file71, sizeof(file71)},
  {"v1/protocol/ping.result.json", file72, sizeof(file72)},
  {"v1/protocol/progress.json", file73, sizeof(file73)},
  {"v1/protocol/resync.params.json", file74, sizeof(file74)},
  {"v1/protocol/resync.result.json", file75, sizeof(file75)},
  {"v1/protocol/setLevel.params.json", file76, sizeof(file76)},
  {"v1/protocol/setLevel.result.json", file77, sizeof(file77)},
  {"v1/protocol/shutdown.params.json", file78, sizeof(file78)},
  {"v1/protocol/shutdown.result.json", file79, sizeof(file79)},
  {"v1/protocol/snapshot.json", file80, sizeof(file80)},
  {"v1/protocol/subscribe.params.json", file81, sizeof(file81)},
  {"v1/protocol/subscribe.result.json", file82, sizeof(file82)},
  {"v1/protocol/unsubscribe.params.json", file83, sizeof(file83)},
  {"v1/protocol/unsubscribe.result.json", file84, sizeof(file84)},
};
