import GrainServices

/// Lists of devices and apps: one for each account whose list somebody looks at, as long as the account
/// is the one that is shown.
extension CoreModels {
  /// The list of an account; the first who asks makes the service be asked.
  ///
  /// - Throws: why there is none now.
  package func deviceList(of account: String) throws(IntentRejection) -> DeviceListModel {
    let id = try accounts.accountWithDevices(account)
    let model = deviceLists[id] ?? makeDeviceList(id)
    model.open()
    return model
  }

  private func makeDeviceList(_ account: AccountID) -> DeviceListModel {
    let model = DeviceListModel(account: account, devices: devices, operations: operations)
    model.name = { [weak accounts] in accounts?.name(of: account) ?? account.rawValue }
    model.budget = { [weak self] in self?.budget ?? StateBudget() }
    model.settle = { [weak accounts] change in
      guard let accounts else { return change() }
      await accounts.catchUp(then: change)
    }
    deviceLists[account] = model
    return model
  }

  /// Closes the lists of accounts that are gone, signed out or no longer shown.
  func closeDevices(but state: AccountsState) {
    let usable = state.accounts.first { $0.id == state.active && $0.hasCredentials }?.id
    for (account, model) in deviceLists where account != usable {
      deviceLists[account] = nil
      model.close()
      onDevicesClose(account)
    }
  }
}
