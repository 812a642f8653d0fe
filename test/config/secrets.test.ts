import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newEvmWallet, newSolanaWallet } from '../../src/chain/wallets.ts'
import { readConfig } from '../../src/config/config.ts'
import { generateMissing, loadSecrets } from '../../src/config/secrets.ts'
import { networks } from '../../src/domain/network.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('processes that start at once on an empty DATA_DIR share one secrets.json', async () => {
  const dataDir = join(folder, 'data')
  const starts = Array.from({ length: 8 }, () => start(dataDir))
  await Promise.all(starts.map(({ ready }) => ready))
  const loaded = (await Promise.all(starts.map(({ load }) => load()))).flat()
  expect(readdirSync(dataDir)).toEqual(['secrets.json'])
  const file = join(dataDir, 'secrets.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const kept = await Bun.file(file).json()
  expect(loaded).toHaveLength(16)
  const { evm, solana, ...others } = kept
  const wallets = { base: evm.address, solana: solana.address }
  for (const secrets of loaded) expect(secrets).toMatchObject({ ...others, wallets })
})

test('secrets missing beside existing data are generated only on request', async () => {
  const config = readConfig({ DATA_DIR: folder })
  mkdirSync(join(folder, 'postgres/data'), { recursive: true })
  await expect(loadSecrets(config)).rejects.toThrow(
    `${folder}/secrets.json, which has the keys and wallets of the database beside it, is missing`,
  )
  expect(readdirSync(folder)).toEqual(['postgres'])
  await generateMissing(config)
  expect((await loadSecrets(config)).file).toBe(join(folder, 'secrets.json'))
})

const walletOn = (network: string) =>
  (network === 'solana' ? newSolanaWallet() : newEvmWallet()).address

test('if all secrets come from the environment, no file is written, required or read', async () => {
  mkdirSync(join(folder, 'postgres/data'), { recursive: true })
  const key = 'ab'.repeat(32)
  const wallets = networks.map((network) => [`${network.toUpperCase()}_WALLET`, walletOn(network)])
  const whole = {
    ...{ DATA_DIR: folder, SECRETS_KEY: key, JWT_SECRET: key, MANDATE_SIGNING_SECRET: key },
    ...{ ANCHOR_PRIVATE_KEY: `0x${key}`, ...Object.fromEntries(wallets) },
  }
  const config = readConfig(whole)
  expect(await loadSecrets(config)).toMatchObject({ secretsKey: key, file: null })
  await generateMissing(config)
  expect(readdirSync(folder)).toEqual(['postgres'])
  for (const name of Object.keys(whole).filter((name) => name !== 'DATA_DIR'))
    await expect(loadSecrets(readConfig({ ...whole, [name]: '' }))).rejects.toThrow('is missing')
  writeFileSync(join(folder, 'secrets.json'), 'cut o')
  expect((await loadSecrets(config)).file).toBeNull()
})

/**
 * A process that waits for its input and then loads the secrets twice at once, as `doctor` does.
 */
function start(dataDir: string) {
  const script = `
    import { readConfig } from './src/config/config.ts'
    import { loadSecrets } from './src/config/secrets.ts'
    const config = readConfig({ DATA_DIR: process.env.FOLDER })
    console.log('ready')
    await Bun.stdin.text()
    console.log(JSON.stringify(await Promise.all([loadSecrets(config), loadSecrets(config)])))`
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: join(import.meta.dir, '../..'),
    env: { ...process.env, FOLDER: dataDir },
    stdin: 'pipe',
    stderr: 'inherit',
  })
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  return {
    ready: lines.read(),
    async load() {
      child.stdin.end()
      return JSON.parse((await lines.read()).value ?? '') as readonly object[]
    },
  }
}
