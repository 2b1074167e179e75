import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * Closes what a button has opened over the page: by a press elsewhere, where the focus goes elsewhere, and by Escape, which gives
 * the focus back to the button.
 *
 * @returns for the element around the button, which is the first in it, and what it opens
 */
export function useDismiss(isOpen: Signal<boolean>): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen.value) return
    const stop = new AbortController()
    const onOutside = ({ target }: Event): void => {
      if (!(target instanceof Node && box.current?.contains(target))) isOpen.value = false
    }
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return
      isOpen.value = false
      box.current?.querySelector('button')?.focus()
    }
    const { signal } = stop
    addEventListener('pointerdown', onOutside, { signal })
    addEventListener('focusin', onOutside, { signal })
    addEventListener('keydown', onKeyDown, { signal })
    return () => stop.abort()
  }, [isOpen.value])
  return box
}
