import { createSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'

/**
 * This process asks it instead of the system's until it is stopped. It is silent about names not in
 * `addresses` until `release`, then denies them.
 */
export async function startNameServer(addresses: Readonly<Record<string, string>>) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  const held: (() => void)[] = []
  let isReleased = false
  let refusal: number | null = null
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = asking(question)
    const send = (code: number, record: Buffer) => {
      const head = Buffer.from([0x81, 0x80 | code, 0, 1, 0, record.length > 0 ? 1 : 0, 0, 0, 0, 0])
      const parts = [question.subarray(0, 2), head, question.subarray(12, end), record]
      socket.send(Buffer.concat(parts), port, address)
    }
    if (type === 'A') asked.push(name)
    if (refusal !== null) return send(refusal, Buffer.alloc(0))
    const known = addresses[name]
    if (known !== undefined) return send(0, type === 'A' ? recordOf(known) : Buffer.alloc(0))
    if (isReleased) return send(noSuchName, Buffer.alloc(0))
    held.push(() => send(noSuchName, Buffer.alloc(0)))
  })
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound))
  const before = getServers()
  const server = `127.0.0.1:${socket.address().port}`
  setServers([server])
  return {
    server,
    /** Answers every question with this code from now on, 2 (SERVFAIL) or 5 (REFUSED). */
    refuse(code: number) {
      refusal = code
    },
    /** The names whose IPv4 address was asked for, once for each question. */
    asked: asked as readonly string[],
    release() {
      isReleased = true
      for (const answer of held.splice(0)) answer()
    },
    stop() {
      setServers(before)
      socket.close()
    },
  }
}

const noSuchName = 3
const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }

function asking(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: types[message.readUInt16BE(at + 1)], end: at + 5 }
}

/** An A record of the name in the question, for a minute. */
function recordOf(address: string): Buffer {
  const fixed = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]
  return Buffer.from([...fixed, ...address.split('.').map(Number)])
}
