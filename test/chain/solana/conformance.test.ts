import { describe } from 'bun:test'
import { base58 } from '@scure/base'
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import {
  Connection,
  Keypair,
  PublicKey,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js'
import { solanaChain } from '../../../src/chain/solana/solana.ts'
import { registry } from '../../../src/domain/registry.ts'
import { startSolanaNode } from '../../support/solana-node.ts'
import { memo } from '../../support/solana-transfer.ts'
import { keepsThePromise } from '../conformance.ts'
import { standsItsNodes } from '../conformance-faults.ts'
import { asksASecondNode } from '../conformance-second-node.ts'
import type { Payment, ReferencedPayment, Subject } from '../subject.ts'

const finalizedLag = 2
const usdc = registry.solana.usdcAddress
const ours = [1, 2, 3].map(() => Keypair.generate().publicKey.toBase58()) as [
  string,
  string,
  string,
]

const ways = ['a memo', 'a reference account'] as const

// Finalised blocks cannot be reorganised: the suite's `reorg` is null.
describe('Solana', () => keepsThePromise(ways, startSubject))

describe('a second node on Solana', () => asksASecondNode(startSubject))

describe('Solana nodes that fail, lie or lag', () => standsItsNodes(startSubject))

async function startSubject(): Promise<Subject> {
  const node = startSolanaNode({ finalizedLag })
  const connection = new Connection(node.url, 'confirmed')
  const payer = node.wallet(1)
  const source = accountOf(payer.publicKey)
  node.mintTo(payer.publicKey, 10n ** 16n)
  node.advance(finalizedLag)

  function accountOf(owner: PublicKey): PublicKey {
    return getAssociatedTokenAddressSync(node.mint, owner, true)
  }

  async function send(
    to: string,
    more: readonly TransactionInstruction[],
    skipPreflight = false,
  ): Promise<string> {
    const owner = new PublicKey(to)
    const { blockhash } = await connection.getLatestBlockhash()
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      recentBlockhash: blockhash,
    }).add(
      createAssociatedTokenAccountIdempotentInstruction(
        payer.publicKey,
        accountOf(owner),
        owner,
        node.mint,
      ),
      ...more,
    )
    transaction.sign(payer)
    const signature = await connection.sendRawTransaction(transaction.serialize(), {
      skipPreflight,
    })
    node.advance(finalizedLag)
    return signature
  }

  function transfer({ to, usdcBase }: Payment): TransactionInstruction {
    const target = accountOf(new PublicKey(to))
    return createTransferCheckedInstruction(source, node.mint, target, payer.publicKey, usdcBase, 6)
  }

  return {
    chain: solanaChain({ rpcUrls: [node.url], usdc }),
    nodeUrl: node.url,
    chainAt: (rpcUrls, options) => solanaChain({ rpcUrls, usdc, ...options }),
    misdirected: solanaChain({
      rpcUrls: [node.url],
      usdc,
      genesisHash: base58.encode(new Uint8Array(32).fill(1)),
    }),
    payer: payer.publicKey.toBase58(),
    ours,
    stranger: Keypair.generate().publicKey.toBase58(),
    pay: (payment) => send(payment.to, [transfer(payment)]),
    ways: {
      'a memo': (payment) => send(payment.to, [transfer(payment), memo(payment.reference)]),
      'a reference account': (payment) =>
        send(payment.to, [withReference(transfer(payment), payment)]),
    },
    async makeNoise(to) {
      const target = accountOf(new PublicKey(to))
      await send(to, [transfer({ to, usdcBase: 0n })])
      await send(to, [transfer({ to, usdcBase: 10n ** 17n })], true)
      await send(to, [
        createTransferInstruction(source, source, payer.publicKey, 5n),
        memo(`for ${target}`),
      ])
    },
    async mine(blocks) {
      node.advance(blocks)
    },
    reorg: null,
    stop: node.stop,
  }
}

/** Adds the reference as Solana Pay does: as an account that neither signs nor is written to. */
function withReference(
  instruction: TransactionInstruction,
  { reference }: ReferencedPayment,
): TransactionInstruction {
  const pubkey = new PublicKey(Buffer.from(reference.slice(2), 'hex'))
  instruction.keys.push({ pubkey, isSigner: false, isWritable: false })
  return instruction
}
