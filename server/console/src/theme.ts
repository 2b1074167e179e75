import { effect, signal } from '@preact/signals'

const KEY = 'svc.theme'
const CHOICES = ['system', 'light', 'dark'] as const
export type Theme = (typeof CHOICES)[number]

const stored = localStorage.getItem(KEY)

/** Light or dark, or as the system wishes. */
export const theme = signal<Theme>(CHOICES.find((choice) => choice === stored) ?? 'system')

effect(() => {
  const { value } = theme
  if (value === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = value
    localStorage.setItem(KEY, value)
  }
})

export const nextTheme = (): void => {
  theme.value = CHOICES[(CHOICES.indexOf(theme.value) + 1) % CHOICES.length] ?? 'system'
}
