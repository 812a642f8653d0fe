import { mnemonicToAccount } from 'viem/accounts'

/** From the test vectors of BIP-39. */
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** Of `m/44'/60'/0'`. */
export const depositXpub =
  'xpub6Bh6Cg7bvjFdW6VEAaZmsyhZh86WdJ9Kr5aqqY5LN7UFLpxTrxsiys213UCu8MAYjcq5JhF7jzZXvruGfWfPbxqsByNNhwWaNQRuhP3JcC3'

/** The address a wallet shows for the account at `index`. */
export function walletAddress(index: number): string {
  return mnemonicToAccount(phrase, { addressIndex: index }).address
}

/** Belongs to `depositXpub`, as wallets export it. */
export function privateXprv(): string {
  return mnemonicToAccount(phrase, { path: "m/44'/60'/0'" }).getHdKey().privateExtendedKey
}
