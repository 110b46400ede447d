/// What `--help` and `--version` print.
enum Usage {
  static let text = """
    grain-core — the headless core of a photo-gallery client on the AT Protocol

    grain-core --stdio [--profile prod|sandbox|test] [--config FILE] [--data-dir DIR]
               [--framing auto|lines|headers] [--record FILE] [--log-level LEVEL]
               [--key-command CMD] [--seed N]
        serves one shell over standard input and output; with --profile sandbox the servers
        run in the process, their state in the data folder, their accounts drawn from the seed;
        with --profile test also time stands still until $/test/advance, ids come from the seed,
        and what is stored is gone at the end, unless --data-dir says where to keep it.
        CMD prints the key of the account store on its standard output; it is run without a shell
        GRAIN_LOG and GRAIN_CORE_RECORD in the environment stand for --log-level and --record
    grain-core --schemas DIR
        writes the schemas of every message this core reads and writes into a folder
    grain-core demo [--photos DIR] [--json] [--record FILE] [--proofs FILE]
        shows the whole story against the sandbox: sign in, publish, read back, sign out
    grain-core sandbox [--port N] [--data FILE] [--seed N] [--json]
               [--tls [--ca FILE] [--domain NAME] [--address ADDRESS]]
        runs the local network alone and prints its addresses and a ready configuration; with
        --tls as https://pds.test and the like, all on one port, for programs that refuse plain
        http: prints the file to trust (written to FILE) and the names for a hosts file. NAME
        replaces test; ADDRESS is another one of the loopback interface
    grain-core doctor [--json] [--rewrap keyring|file|command | --set-aside-store]
               [--profile prod|sandbox] [--config FILE] [--data-dir DIR] [--key-command CMD]
        says how the data folder, the account store and its key are, what this machine offers,
        and what to do; --rewrap gives the key to another place; --set-aside-store moves a store
        that does not open to a folder it prints, with its drafts and key file
    grain-core deliver [--data-dir DIR] [--profile prod|sandbox] URL|-
        hands the address that a sign-in page ended at to the core that runs in the data folder:
        what the desktop starts for social.grain: addresses. With - it is read from the input
    grain-core --help | --version

    Exit codes: 0 done; 1 failed, or something to mend; 64 wrong usage; 65 framing lost;
    69 unavailable; 70 internal fault; 75 the shell stopped reading.
    """
}
