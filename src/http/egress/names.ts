import { getServers, promises, Resolver, setServers } from 'node:dns'

export type Address = { readonly address: string; readonly family: number }

/** All addresses of a host name. Rejects where no name server knows one. */
export type Resolve = (host: string) => Promise<readonly Address[]>

/** Looks names up in /etc/hosts and DNS. Concurrent look-ups of one name share the answer. */
export function createResolve(): Resolve {
  const underWay = new Map<string, Promise<readonly Address[]>>()
  const keepServers = serversOfSystem()

  function begin(host: string): Promise<readonly Address[]> {
    keepServers()
    // Not getaddrinfo: anybody's domain can have a silent name server, for which it waits ten
    // seconds in one of the few threads that files and crypto share.
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

/** Asks all name servers where one cannot answer: c-ares does not try the next. */
async function askAll(host: string, error: { code?: string }): Promise<readonly Address[]> {
  const servers = getServers()
  if (!givesNoAnswer.has(error.code ?? '') || servers.length < 2) throw error
  // At once: a silent one must not keep the others waiting.
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

/** Takes over the name servers of /etc/resolv.conf when they change; c-ares reads them once. */
function serversOfSystem(): () => void {
  const current = () => new Resolver().getServers()
  let known = current().join()
  let readMs = performance.now()
  return () => {
    if (performance.now() - readMs < serversForMs) return
    readMs = performance.now()
    const servers = current()
    if (servers.join() === known) return
    setServers(servers)
    known = servers.join()
  }
}
