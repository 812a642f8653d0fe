import { getServers, promises, Resolver, setServers } from 'node:dns'
import { readFileSync } from 'node:fs'

export type Address = { readonly address: string; readonly family: number }

/** All addresses of a host name. Rejects where it has none, or no name server says so. */
export type Resolve = (host: string) => Promise<readonly Address[]>

/**
 * Looks names up in /etc/hosts and DNS. Those who ask for one name at the same time share the
 * answer.
 */
export function createResolve(): Resolve {
  const underWay = new Map<string, Promise<readonly Address[]>>()
  const keepServers = serversOfSystem()

  function begin(host: string): Promise<readonly Address[]> {
    keepServers()
    // Not getaddrinfo: it waits in one of the few threads that files and crypto share, ten seconds
    // for a name server that is silent. Anybody's domain can have one, and twice as many such names
    // as processors kept everybody's requests waiting.
    const found = Bun.dns
      .lookup(host, { backend: 'c-ares' })
      .catch((error) => askAll(host, error))
      .finally(() => underWay.delete(host))
    underWay.set(host, found)
    return found
  }

  return (host) => underWay.get(host) ?? begin(host)
}

const givesNoAnswer = new Set(['DNS_ESERVFAIL', 'DNS_EREFUSED', 'DNS_ENOTIMP'])

/**
 * Asks all name servers where one says that it cannot answer: c-ares, as Bun sets it up, takes that
 * for the answer. It does not tell which one said so, and asks those last that were silent.
 */
async function askAll(host: string, error: { code?: string }): Promise<readonly Address[]> {
  const servers = getServers()
  if (!givesNoAnswer.has(error.code ?? '') || servers.length < 2) throw error
  // At once: a silent one would keep those after it waiting for longer than anybody waits.
  const answers = servers.map((server) => askOne(server, host))
  return Promise.any(answers).catch(() => Promise.reject(error))
}

async function askOne(server: string, host: string): Promise<readonly Address[]> {
  const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([server])
  const [four, six] = await Promise.all([
    resolver.resolve4(host).catch(() => []),
    resolver.resolve6(host).catch(() => []),
  ])
  const found = [
    ...four.map((address) => ({ address, family: 4 })),
    ...six.map((address) => ({ address, family: 6 })),
  ]
  if (found.length === 0) throw new Error(`${server} does not know ${host}`)
  return found
}

const serversForMs = 5_000

/**
 * Takes over the name servers of /etc/resolv.conf when they change. c-ares reads them once, so a
 * process whose network has changed would find no name until it is restarted.
 */
function serversOfSystem(): () => void {
  const current = () => new Resolver().getServers()
  let known = current().join()
  let readMs = performance.now()
  return () => {
    if (performance.now() - readMs < serversForMs) return
    readMs = performance.now()
    const servers = current()
    if (servers.join() === known || !areWhole(servers, resolvConf())) return
    setServers(servers)
    known = servers.join()
  }
}

/**
 * Whether `servers`, as c-ares tells them, are those that the text of resolv.conf means. A
 * link-local address is told without its interface, and reaches nobody so; 127.0.0.1 is told where
 * the text names no server, as while it is being written.
 */
export function areWhole(servers: readonly string[], text: string): boolean {
  const isLinkLocal = (server: string) => /^\[?fe[89ab]/i.test(server)
  return /^\s*nameserver\s+\S/m.test(text) && !servers.some(isLinkLocal)
}

function resolvConf(): string {
  try {
    return readFileSync('/etc/resolv.conf', 'utf8')
  } catch {
    return ''
  }
}
