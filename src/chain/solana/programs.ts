/** The Token program, which moves USDC. */
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
/** The program that makes the accounts in which wallets hold tokens. */
export const associatedProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
/** The program that owns wallets; its address is 32 zero bytes. */
export const systemProgram = '11111111111111111111111111111111'
