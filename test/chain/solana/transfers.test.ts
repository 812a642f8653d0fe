import { describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import {
  createBurnInstruction,
  createMintToCheckedInstruction,
  createMintToInstruction,
  createRevokeInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token'
import {
  AddressLookupTableAccount,
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js'
import { readSurplus } from '../../../src/chain/solana/surplus.ts'
import type { RawTransaction } from '../../../src/chain/solana/token-calls.ts'
import { readTransfers } from '../../../src/chain/solana/transfers.ts'
import { noSender } from '../../../src/domain/network.ts'
import { registry } from '../../../src/domain/registry.ts'
import { memo } from '../../support/solana-transfer.ts'

const mint = new PublicKey(registry.solana.usdcAddress)
const payer = Keypair.generate().publicKey
const source = getAssociatedTokenAddressSync(mint, payer)
const account = getAssociatedTokenAddressSync(mint, Keypair.generate().publicKey)
const other = getAssociatedTokenAddressSync(mint, Keypair.generate().publicKey)
const ours = new Set([account.toBase58()])
const reference = `0x${'5a'.repeat(32)}`
const id = '0197a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d'
const wallet = payer.toBase58()
const paid = { from: wallet, authority: wallet, to: account.toBase58() }

test('transfer and transferChecked are read with their amounts, in order', () => {
  const transaction = legacy([transfer(1n), checked(2n ** 53n + 1n)])
  expect(readTransfers(transaction, ours)).toEqual([
    { ...paid, position: 0, usdcBase: 1n, references: [], memos: [] },
    { ...paid, position: 1, usdcBase: 2n ** 53n + 1n, references: [], memos: [] },
  ])
})

test('what is minted to us, as by a bridge, is read as sent by nobody', () => {
  const minted = createMintToInstruction(mint, account, payer, 5n)
  const mintedChecked = createMintToCheckedInstruction(mint, account, payer, 6n, 6)
  const from = noSender.solana
  expect(readTransfers(legacy([minted, mintedChecked]), ours)).toEqual([
    { ...paid, from, position: 0, usdcBase: 5n, references: [], memos: [] },
    { ...paid, from, position: 1, usdcBase: 6n, references: [], memos: [] },
  ])
})

test('a transfer a program made is read at its place in the order of execution', () => {
  const transaction = legacy([memo('one'), transfer(7n), transfer(8n)])
  const [first, inner, last] = transaction.transaction.message.instructions
  if (!first || !inner || !last) throw new Error('three instructions')
  const wrapped = withInner(transaction, [first, last], { index: 0, instructions: [inner] })
  expect(
    readTransfers(wrapped, ours).map(({ position, usdcBase }) => [position, usdcBase]),
  ).toEqual([
    [1, 7n],
    [2, 8n],
  ])
})

test('a version 0 transaction is read when our account comes from a lookup table', () => {
  const table = new AddressLookupTableAccount({
    key: Keypair.generate().publicKey,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: [account],
    },
  })
  const transaction = versioned([transfer(9n)], [table])
  expect(transaction.transaction.message.accountKeys).not.toContain(account.toBase58())
  expect(readTransfers(transaction, ours)).toEqual([
    { ...paid, position: 0, usdcBase: 9n, references: [], memos: [] },
  ])
})

test('a failed transaction, nothing, another account, to itself or another program pays nothing', () => {
  const failed = legacy([transfer(1n)])
  const toItself = createTransferInstruction(account, account, payer, 1n)
  const fake = transfer(1n)
  const noise = [
    { ...failed, meta: { ...metaOf(), err: { InstructionError: [0, { Custom: 1 }] } } },
    legacy([transfer(0n)]),
    legacy([createTransferInstruction(source, other, payer, 1n)]),
    legacy([toItself]),
    legacy([new TransactionInstruction({ ...fake, programId: Keypair.generate().publicKey })]),
    legacy([createMintToInstruction(mint, other, payer, 1n)]),
  ]
  for (const transaction of noise) expect(readTransfers(transaction, ours)).toEqual([])
})

test('a memo counts only if it is a reference or an invoice id as a whole, in either case', () => {
  const texts = [reference, `0x${'5A'.repeat(32)}`, id, id.toUpperCase()]
  const others = [` ${reference}`, `${id} `, `invoice ${id}`, id.slice(1), 'thanks', '']
  const read = (text: string) => memosOf([transfer(1n), memo(text)])
  expect(texts.map(read)).toEqual([[[reference]], [[reference]], [[id]], [[id]]])
  expect(others.map(read)).toEqual(others.map(() => [[]]))
})

describe('a memo is meant', () => {
  const [a, b] = [memo(id), memo(reference)]
  const [one, two] = [transfer(1n), transfer(2n)]

  test('for a single payment, wherever it stands, and so are two', () => {
    expect(memosOf([a, one])).toEqual([[id]])
    expect(memosOf([one, a])).toEqual([[id]])
    expect(memosOf([a, one, b])).toEqual([[id, reference]])
  })

  test('for the next payment of several', () => {
    expect(memosOf([a, one, b, two])).toEqual([[id], [reference]])
    expect(memosOf([one, a, two])).toEqual([[], [id]])
    expect(memosOf([a, one, two])).toEqual([[id], []])
    expect(memosOf([a, batch([one, two])])).toEqual([[id], []])
  })

  test('for the payment to somebody else that it belongs to, and then not for ours', () => {
    const toOther = transferTo(other)
    const theirs = memo('99999999-0000-4000-8000-00000000000f')
    expect(memosOf([theirs, toOther, a, one])).toEqual([[id]])
    expect(memosOf([theirs, toOther, a, one, b, two])).toEqual([[id], [reference]])
    expect(memosOf([theirs, toOther, one])).toEqual([[]])
    expect(memosOf([toOther, one, a])).toEqual([[id]])
    expect(memosOf([one, a, toOther])).toEqual([[]])
  })

  /**
   * The memos of each payment of a transaction that begins with one, and in which a program makes
   * the calls of each list.
   */
  function memosThrough(...lists: readonly (readonly TransactionInstruction[])[]) {
    const { transaction } = legacy([a, ...lists.flat()])
    const { message } = transaction
    const [said, ...calls] = message.instructions
    if (!said) throw new Error('a memo')
    const program = { programIdIndex: said.programIdIndex, accounts: [], data: '' }
    const innerInstructions = lists.map(({ length }, at) => ({
      index: at + 1,
      instructions: calls.splice(0, length),
    }))
    // Programs need no signatures for what is theirs.
    const header = { numRequiredSignatures: 1 }
    const instructions = [said, ...lists.map(() => program)]
    const read = { ...message, header, instructions }
    const meta = { ...metaOf(), innerInstructions }
    return readTransfers({ transaction: { message: read }, meta }, ours).map(({ memos }) => memos)
  }

  test('in a smart account’s calls as in the payer’s own, for the next of them or the one before', () => {
    expect(memosThrough([b, one])).toEqual([[id, reference]])
    expect(memosThrough([one, b, two])).toEqual([[id], [reference]])
    expect(insideOf([b, one, a, two])).toEqual([[reference], [id]])
    expect(insideOf([one, b, two, a])).toEqual([[reference], [id]])
    expect(insideOf([b, batch([one, two])])).toEqual([[reference], []])
  })

  /** The memos of each payment of a transaction whose one instruction makes all these calls. */
  function insideOf(calls: readonly TransactionInstruction[]) {
    const transaction = legacy([memo('smart account'), ...calls])
    const [own, ...instructions] = transaction.transaction.message.instructions
    if (!own) throw new Error('an instruction')
    const inner = withInner(transaction, [own], { index: 0, instructions })
    return readTransfers(inner, ours).map(({ memos }) => memos)
  }

  describe('for our payment though what brings the money for it comes between', () => {
    const accountOf = () => getAssociatedTokenAddressSync(Keypair.generate().publicKey, payer)
    const [sold, between] = [accountOf(), accountOf()]
    const pool = Keypair.generate().publicKey
    // A swap takes one token to a pool, which gives another.
    const swap = (from: PublicKey, to: PublicKey) => [
      createTransferInstruction(from, other, payer, 3n),
      createTransferInstruction(other, to, pool, 3n),
    ]

    test('by one swap or two', () => {
      expect(memosThrough(swap(sold, source), [one])).toEqual([[id]])
      expect(memosThrough(swap(sold, between), swap(between, source), [one])).toEqual([[id]])
    })

    test('by one that pays us, or one before that', () => {
      expect(memosThrough(swap(sold, account))).toEqual([[id]])
      expect(memosThrough(swap(sold, between), swap(between, account))).toEqual([[id]])
    })

    test('and not where another payment does', () => {
      const swaps = [swap(sold, between), swap(between, source)]
      expect(memosThrough([transferTo(other)], ...swaps, [one])).toEqual([[]])
    })
  })

  test('for our payment though a fee is taken by the same instruction', () => {
    const fee = transferTo(other)
    expect(memosOf([a, batch([fee, one])])).toEqual([[id]])
    expect(memosOf([batch([one, fee]), a])).toEqual([[id]])
    expect(memosOf([a, batch([fee, one]), b, two])).toEqual([[id], [reference]])
    expect(memosOf([a, fee, batch([fee, one])])).toEqual([[]])
  })

  test('for the payment before it where memos come after their payments', () => {
    expect(memosOf([one, a, two, b])).toEqual([[id], [reference]])
    expect(memosOf([one, two, a])).toEqual([[], [id]])
  })

  test('for all payments where they are in neither order', () => {
    const both = [id, reference]
    expect(memosOf([a, one, two, b])).toEqual([both, both])
  })

  test('for all payments where one of them would have two that differ', () => {
    const unsureMemos = [id, reference]
    const saidOf = (instructions: TransactionInstruction[]) =>
      readTransfers(legacy(instructions), ours).map(({ memos, unsureMemos: unsure }) => [
        memos,
        unsure,
      ])
    expect(saidOf([a, b, one, two])).toEqual([
      [unsureMemos, unsureMemos],
      [[], unsureMemos],
    ])
    expect(saidOf([one, two, a, b])).toEqual([
      [[], unsureMemos],
      [unsureMemos, unsureMemos],
    ])
    expect(saidOf([a, a, one, two])).toEqual([
      [[id], undefined],
      [[], undefined],
    ])
  })

  test('for nothing where it says nothing', () => {
    expect(memosOf([a, one, b, two, memo('thanks')])).toEqual([[id], [reference]])
  })
})

test.each(['transfer', 'transferChecked'])('a reference account behind %s is reported', (way) => {
  const instruction = way === 'transfer' ? transfer(1n) : checked(1n)
  const pubkey = new PublicKey(base58.encode(Buffer.from(reference.slice(2), 'hex')))
  instruction.keys.push({ pubkey, isSigner: false, isWritable: false })
  expect(referencesOf([instruction, memo(id)])).toEqual([reference])
})

test('a co-signer is no reference', () => {
  const signers = [Keypair.generate().publicKey, Keypair.generate().publicKey]
  expect(referencesOf([createTransferInstruction(source, account, payer, 1n, signers)])).toEqual([])
})

test('a node that leaves out the meta or the inner instructions is refused', () => {
  const { transaction } = legacy([memo('a program call')])
  const { innerInstructions: _, ...without } = metaOf()
  for (const meta of [null, without, { ...without, innerInstructions: null }]) {
    expect(() => readTransfers({ transaction, meta }, ours)).toThrow('came without its')
  }
})

test('a transfer by a delegate comes from the wallet that owns the paying account, and tells who signed', () => {
  const delegate = Keypair.generate().publicKey
  const transaction = versioned([createTransferInstruction(source, account, delegate, 4n)], [])
  expect(readTransfers(transaction, ours)).toEqual([
    {
      ...paid,
      authority: delegate.toBase58(),
      position: 0,
      usdcBase: 4n,
      references: [],
      memos: [],
    },
  ])
})

describe('a batch', () => {
  const two = () => batch([transfer(3n), createRevokeInstruction(source, payer), checked(4n)])

  test('is read as the transfers it makes, each at a place of its own that moves no other', () => {
    const transaction = legacy([transfer(1n), two(), transfer(2n)])
    expect(readTransfers(transaction, ours)).toEqual([
      { ...paid, position: 0, usdcBase: 1n, references: [], memos: [] },
      { ...paid, position: 1, usdcBase: 3n, references: [], memos: [] },
      { ...paid, position: 2001, usdcBase: 4n, references: [], memos: [] },
      { ...paid, position: 2, usdcBase: 2n, references: [], memos: [] },
    ])
  })

  test('that a program made is read as well', () => {
    const transaction = legacy([memo('one'), two(), transfer(8n)])
    const [first, inner, last] = transaction.transaction.message.instructions
    if (!first || !inner || !last) throw new Error('three instructions')
    const wrapped = withInner(transaction, [first, last], { index: 0, instructions: [inner] })
    expect(placesIn(wrapped)).toEqual([
      [1, 3n],
      [2001, 4n],
      [2, 8n],
    ])
  })

  test('gives each of its transfers the references behind its own accounts', () => {
    const named = transfer(5n)
    const pubkey = new PublicKey(base58.encode(Buffer.from(reference.slice(2), 'hex')))
    named.keys.push({ pubkey, isSigner: false, isWritable: false })
    expect(referencesOf([batch([named, transfer(6n)])])).toEqual([reference])
    expect(placesIn(legacy([batch([named, transfer(6n)])]))).toEqual([
      [0, 5n],
      [1000, 6n],
    ])
  })

  test('that no token program would take is read as nothing, and hinders no other transfer', () => {
    const whole = two()
    const broken = [
      whole.data.subarray(0, -1),
      Buffer.from([...whole.data, 3]),
      Buffer.from([...whole.data, 0, 0]),
      Buffer.from([...whole.data, 1, 1, 5]),
      Buffer.from([255]),
    ]
    for (const data of broken) {
      const malformed = new TransactionInstruction({ ...whole, data })
      expect(placesIn(legacy([malformed, transfer(1n)]))).toEqual([[1, 1n]])
    }
  })
})

describe('what no payment needs hinders none, however long it is', () => {
  const long = Buffer.alloc(4_000, 'a')

  test('in a memo', () => {
    expect(memosOf([memo(long.toString()), memo(id), transfer(1n)])).toEqual([[id]])
  })

  test('in a call of the token program, which ignores what follows its own arguments', () => {
    const { data, ...revoke } = createRevokeInstruction(source, payer)
    const padded = new TransactionInstruction({ ...revoke, data: Buffer.concat([data, long]) })
    const transaction = legacy([padded, transfer(1n)])
    expect(placesIn(transaction)).toEqual([[1, 1n]])
    expect(readSurplus(holding(transaction, 0n, 1n), ours)).toEqual([])
  })
})

describe('what no transfer explains', () => {
  const to = account.toBase58()

  const unknown = new TransactionInstruction({
    programId: TOKEN_PROGRAM_ID,
    keys: [{ pubkey: account, isSigner: false, isWritable: true }],
    data: Buffer.from([200]),
  })

  test('is what an account of ours holds more', () => {
    const transaction = holding(legacy([unknown, transfer(2n)]), 10n, 17n)
    expect(readSurplus(transaction, ours)).toEqual([{ to, usdcBase: 5n }])
    expect(readSurplus(transaction, new Set([other.toBase58()]))).toEqual([])
  })

  test('is all that an account holds that was not there before', () => {
    expect(readSurplus(holding(legacy([unknown]), null, 5n), ours)).toEqual([{ to, usdcBase: 5n }])
  })

  test('is nothing where transfers explain it, in, out, back and forth, or by batch', () => {
    const out = createTransferInstruction(account, other, payer, 9n)
    const toItself = createTransferInstruction(account, account, payer, 1n)
    const explained = [
      holding(legacy([transfer(2n), out, checked(4n), toItself]), 10n, 7n),
      holding(legacy([batch([transfer(3n), checked(4n)])]), 0n, 7n),
      holding(legacy([createMintToInstruction(mint, account, payer, 7n)]), 0n, 7n),
      holding(legacy([createBurnInstruction(account, mint, payer, 4n)]), 10n, 6n),
      holding({ ...legacy([transfer(2n)]), meta: { ...metaOf(), err: 'failed' } }, 1n, 9n),
      legacy([transfer(2n)]),
    ]
    for (const transaction of explained) expect(readSurplus(transaction, ours)).toEqual([])
  })
})

/**
 * Instruction 255 of the Token program, a batch: each inner instruction is preceded by the number
 * of its accounts and the length of its data.
 */
function batch(called: readonly TransactionInstruction[]) {
  return new TransactionInstruction({
    programId: TOKEN_PROGRAM_ID,
    keys: called.flatMap(({ keys }) => keys),
    data: Buffer.concat([
      Buffer.from([255]),
      ...called.flatMap(({ keys, data }) => [Buffer.from([keys.length, data.length]), data]),
    ]),
  })
}

/**
 * The transaction with other balances of our account: `before` it (null: the account did not exist)
 * and `after` it.
 */
function holding(
  { transaction, meta }: RawTransaction,
  before: bigint | null,
  after: bigint,
): RawTransaction {
  if (meta === null) throw new Error('the fixtures have a meta')
  const accountIndex = transaction.message.accountKeys.indexOf(account.toBase58())
  const held = (amount: bigint) => ({ accountIndex, uiTokenAmount: { amount: `${amount}` } })
  const preTokenBalances = before === null ? [] : [held(before)]
  return { transaction, meta: { ...meta, preTokenBalances, postTokenBalances: [held(after)] } }
}

function placesIn(transaction: RawTransaction) {
  return readTransfers(transaction, ours).map(({ position, usdcBase }) => [position, usdcBase])
}

function transfer(usdcBase: bigint) {
  return createTransferInstruction(source, account, payer, usdcBase)
}

function transferTo(target: PublicKey) {
  return createTransferInstruction(source, target, payer, 3n)
}

function checked(usdcBase: bigint) {
  return createTransferCheckedInstruction(source, mint, account, payer, usdcBase, 6)
}

function referencesOf(instructions: TransactionInstruction[]) {
  return readTransfers(legacy(instructions), ours).flatMap(({ references }) => references)
}

/** The memos of each payment. */
function memosOf(instructions: TransactionInstruction[]) {
  return readTransfers(legacy(instructions), ours).map(({ memos }) => memos)
}

function metaOf() {
  return { err: null, innerInstructions: [] }
}

function messageOf(instructions: TransactionInstruction[]) {
  const recentBlockhash = Keypair.generate().publicKey.toBase58()
  return new TransactionMessage({ payerKey: payer, recentBlockhash, instructions })
}

function legacy(instructions: TransactionInstruction[]): RawTransaction {
  const {
    accountKeys,
    header,
    instructions: compiled,
  } = messageOf(instructions).compileToLegacyMessage()
  const message = {
    accountKeys: accountKeys.map((key) => key.toBase58()),
    header,
    instructions: compiled,
  }
  return { transaction: { message }, meta: metaOf() }
}

function versioned(
  instructions: TransactionInstruction[],
  tables: AddressLookupTableAccount[],
): RawTransaction {
  const compiled = messageOf(instructions).compileToV0Message(tables)
  const message = {
    accountKeys: compiled.staticAccountKeys.map((key) => key.toBase58()),
    header: compiled.header,
    instructions: compiled.compiledInstructions.map((one) => ({
      programIdIndex: one.programIdIndex,
      accounts: one.accountKeyIndexes,
      data: base58.encode(one.data),
    })),
  }
  const loadedAddresses = { writable: tables.length > 0 ? [account.toBase58()] : [], readonly: [] }
  const preTokenBalances = [
    {
      accountIndex: message.accountKeys.indexOf(source.toBase58()),
      owner: payer.toBase58(),
      uiTokenAmount: { amount: '100' },
    },
  ]
  return { transaction: { message }, meta: { ...metaOf(), loadedAddresses, preTokenBalances } }
}

function withInner(
  { transaction, meta }: RawTransaction,
  instructions: RawTransaction['transaction']['message']['instructions'],
  inner: { index: number; instructions: typeof instructions },
): RawTransaction {
  if (meta === null) throw new Error('the fixtures have a meta')
  const message = { ...transaction.message, instructions }
  return { transaction: { message }, meta: { ...meta, innerInstructions: [inner] } }
}
