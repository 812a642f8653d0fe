export type Server = {
  readonly host: string
  /** Empty: the default of its kind. */
  readonly port: string
}

/**
 * Splits a URL that may name several servers, `scheme://user@a:1,b:2/path`: `URL` reads none that
 * does. `url` has the first alone. IPv6 addresses lose their brackets. Throws a `TypeError` if a
 * server is invalid.
 */
export function splitServers(url: string): { readonly url: string; readonly servers: Server[] } {
  const [, start = '', list = '', rest = ''] =
    /^([a-z+]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const parts = list.split(',')
  const servers = parts.map((part) => {
    const { hostname, port } = new URL(`server://${part}`)
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port }
  })
  return { url: start ? `${start}${parts[0]}${rest}` : url, servers }
}

/** A URL that `URL` can read if this one is valid, whether or not it names several servers. */
export function withFirstServer(url: string): string {
  try {
    return splitServers(url).url
  } catch {
    return ''
  }
}
