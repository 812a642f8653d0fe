import { PublicKey } from '@solana/web3.js'

/**
 * The address of the account that holds a wallet's tokens of a mint, derived from both addresses.
 * Throws where one is not an address.
 */
export function associatedTokenAccount(wallet: string, mint: string): string {
  const seeds = [wallet, tokenProgram, mint].map((key) => new PublicKey(key).toBytes())
  return PublicKey.findProgramAddressSync(seeds, associatedProgram)[0].toBase58()
}

/** The Token program, which moves USDC. */
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const associatedProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
