import { PublicKey } from '@solana/web3.js'

/** Where a wallet's tokens of a mint are: the account its address and the mint's derive. Throws where one is no address. */
export function associatedTokenAccount(wallet: string, mint: string): string {
  const seeds = [wallet, tokenProgram, mint].map((key) => new PublicKey(key).toBytes())
  return PublicKey.findProgramAddressSync(seeds, associatedProgram)[0].toBase58()
}

/** The program that moves USDC. */
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const associatedProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
