/** Makes `key` the newest of a map, which forgets its oldest above `most`. */
export function keepNewest<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) for (const oldest of map.keys()) return void map.delete(oldest)
}

/** Adds `key` to a set, which forgets its oldest above `most`. Whether it was not there yet. */
export function addNewest<Key>(set: Set<Key>, key: Key, most: number): boolean {
  if (set.has(key)) return false
  set.add(key)
  if (set.size > most) for (const oldest of set) return set.delete(oldest)
  return true
}
