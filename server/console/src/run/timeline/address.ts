import type { Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'

/** The address is written when a value has rested so long: browsers refuse to write it with each step of a slider. */
const REST_MS = 150

/** A number of the address; undefined where there is none. */
const toNumber = (text: string | undefined): number | undefined => {
  const value = Number(text)
  return text !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

/**
 * Keeps a number in the query of the address: `?name=42`. No step of the browser's history is made.
 *
 * @param owner where it changes, what was set for the one before is gone
 */
export function useInAddress(name: string, value: Signal<number | undefined>, owner: string): void {
  const { query, path, route } = useLocation()
  const asked = toNumber(query[name])
  const written = useRef<number | undefined>(undefined)
  const owned = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (owned.current !== owner || (asked !== undefined && asked !== written.current)) value.value = asked
    owned.current = owner
    written.current = asked
  }, [owner, asked, value])

  const { value: wanted } = value
  useEffect(() => {
    const timer = setTimeout(() => {
      const address = new URL(location.href)
      if (toNumber(address.searchParams.get(name) ?? undefined) === wanted) return
      if (wanted === undefined) address.searchParams.delete(name)
      else address.searchParams.set(name, String(wanted))
      written.current = wanted
      route(address.pathname + address.search, true)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [wanted, path, name, route])
}
