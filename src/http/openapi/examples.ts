export const id = '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'
export const mandateId = `mnd_${id}`
export const receiptId = `drs_${id}`
export const address = '0x8f3c1b6a2d4e5f60718293a4b5c6d7e8f9012345'
export const hash = `0x${'a7'.repeat(32)}`
export const txHash = `0x${'5e'.repeat(32)}`
