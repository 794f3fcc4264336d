import { expect, test } from 'vitest';
import { memberName } from './member-name.ts';

test.each([
  [{ firstName: 'Camille', lastName: 'Durand', pseudo: 'CAM' }, 'Camille Durand · CAM'],
  [{ firstName: 'Camille', lastName: 'Durand', pseudo: '' }, 'Camille Durand'],
  [{ firstName: '', lastName: '', pseudo: 'CAM' }, 'CAM'],
  [{ firstName: 'Cam', lastName: '', pseudo: 'Cam ' }, 'Cam'],
  [{ firstName: ' ', lastName: '', pseudo: ' ' }, '—'],
])('%o is called %s', (member, name) => {
  expect(memberName({ ...member, display_name: '' })).toBe(name);
});
