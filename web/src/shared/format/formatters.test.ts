import { expect, test, vi } from 'vitest';
import { formatDateTime, formatNumber, formatShortDate } from './format.ts';

test('a list of a hundred rows makes each formatter once at most', () => {
  const dates = vi.spyOn(Intl, 'DateTimeFormat');
  const numbers = vi.spyOn(Intl, 'NumberFormat');
  for (let row = 0; row < 100; row += 1) {
    const instant = new Date(row * 86_400_000).toISOString();
    // No other test uses this zone, so a formatter is made.
    formatDateTime(instant, 'de', 'Pacific/Chatham');
    formatShortDate(instant, 'de');
    formatNumber(row, 'de');
  }
  expect(dates).toHaveBeenCalledWith('de', expect.objectContaining({ timeZone: 'Pacific/Chatham' }));
  expect(dates.mock.calls.length).toBeLessThanOrEqual(2);
  expect(numbers.mock.calls.length).toBeLessThanOrEqual(1);
});
