import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { anInvoice } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { send, start } = useWorld({ service: 'apart', env: { LOG_LEVEL: 'info' } })

const prlimit = Bun.which('prlimit')

test.skipIf(prlimit === null)(
  'the first PDF is drawn where a process has no file descriptors left but for the request',
  async () => {
    const { pid } = (await start()).process
    const id = await anInvoice({ send })
    // Until the thread has opened what it needs.
    const open = () => readdirSync(`/proc/${pid}/fd`).length
    let last = -1
    await eventually(async () => {
      const before = last
      last = open()
      await Bun.sleep(500)
      return before === last
    })
    const limit = Math.max(...readdirSync(`/proc/${pid}/fd`).map(Number)) + 3
    Bun.spawnSync([prlimit ?? '', `--pid=${pid}`, `--nofile=${limit}:${limit}`])
    expect((await send('GET', `/api/invoices/${id}/pdf`)).status).toBe(200)
  },
)
