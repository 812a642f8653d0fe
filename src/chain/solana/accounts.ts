import { PublicKey } from '@solana/web3.js'
import { associatedProgram, tokenProgram } from '../../domain/address.ts'

/** Throws where one is not an address. */
export function associatedTokenAccount(wallet: string, mint: string): string {
  const seeds = [wallet, tokenProgram, mint].map((key) => new PublicKey(key).toBytes())
  return PublicKey.findProgramAddressSync(seeds, maker)[0].toBase58()
}

const maker = new PublicKey(associatedProgram)
