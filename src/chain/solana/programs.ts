export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
/** Makes the accounts in which wallets hold tokens. */
export const associatedProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
/** Owns wallets; its address is 32 zero bytes. */
export const systemProgram = '11111111111111111111111111111111'
