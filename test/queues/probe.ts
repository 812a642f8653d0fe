import { createConnection, createServer, type Socket } from 'node:net'
import { testDatabase } from '../support/postgres.ts'
import { postgresBackend } from '../../src/queues/postgres-backend.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { createWorkers } from '../../src/queues/workers.ts'
process.on('unhandledRejection', (e) => console.log('UNHANDLED', e))
const db = await testDatabase()
const target = new URL(db.url)
let slam = false, accepted = 0
const ends = new Set<Socket>()
const server = createServer((near) => {
  accepted++
  near.on('error', () => {})
  if (slam) { near.destroy(); return }
  const far = createConnection(Number(target.port), target.hostname)
  for (const [a, b] of [[near, far], [far, near]] as const) { ends.add(a); a.pipe(b); a.on('error', () => {}); a.on('close', () => { ends.delete(a); b.destroy() }) }
})
await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
const url = new URL(db.url); url.hostname = '127.0.0.1'; url.port = String((server.address() as any).port)
let faults = 0
const messages = new Map<string, number>()
const log = { warn(l: any, m: string) { faults += 1 + (l.unheard ?? 0); messages.set(String(l.err?.message ?? l), (messages.get(String(l.err?.message)) ?? 0) + 1) }, error(l: any, m: string) { console.log('ERR', m, l.err?.message) } }
const backend = await postgresBackend(url.href, log)
const queues = createQueues({ backend, log })
let runs = 0
const workers = createWorkers({ backend, log, processors: { outbox: async () => {}, deliver: async () => { await Bun.sleep(2); runs++ }, anchor: async () => {}, expiry: async () => {}, 'watch-base': async () => {}, 'watch-polygon': async () => {} } })
workers.start()
await queues.every('watch-base', {}, 200)
await queues.addBulk('deliver', Array.from({ length: 8000 }, (_, i) => ({ payload: { deliveryIds: [`${i}x`] } })))
await Bun.sleep(1000)
console.log('runs before', runs)
slam = true; for (const e of ends) e.destroy()
const cpu0 = process.cpuUsage(); const a0 = accepted
await Bun.sleep(3000)
const cpu = process.cpuUsage(cpu0)
console.log('slam 3 s: accepted', accepted - a0, 'cpu ms', (cpu.user + cpu.system) / 1000, 'faults', faults, messages)
slam = false
const r0 = runs; await Bun.sleep(2000); console.log('runs after in 2s', runs - r0)
await Bun.sleep(28000); console.log('total runs', runs)
const t = performance.now()
await workers.drain(5000); await queues.close(); await backend.close()
console.log('closed in', performance.now() - t)
await db.drop(); server.close()
process.exit(0)
