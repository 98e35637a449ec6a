/* Exchanges names in pairs, over and over, until it is told to end (SIGTERM), as a process does that
 * wants to lead another one astray: swap FIRST SECOND [FIRST SECOND ...]. Writes a line when it has
 * been through all pairs once, the number of exchanges since then at the end, and leaves every pair
 * as it was. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t ended = 0;

static void end(int number) { (void)number; ended = 1; }

static void pause_for(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

int main(int count, char **names) {
    unsigned seed = 1;
    unsigned long swaps = 0;
    signal(SIGTERM, end);
    for (int begun = 0; !ended; begun = 1) {
        for (int i = 1; i + 1 < count; i += 2) {
            if (renameat2(AT_FDCWD, names[i], AT_FDCWD, names[i + 1], RENAME_EXCHANGE))
                continue;
            pause_for(rand_r(&seed) % 20000);
            while (renameat2(AT_FDCWD, names[i], AT_FDCWD, names[i + 1], RENAME_EXCHANGE) && !ended) {
            }
            pause_for(rand_r(&seed) % 20000);
            swaps++;
        }
        if (!begun) {
            puts("begun");
            fflush(stdout);
            swaps = 0;
        }
    }
    printf("%lu\n", swaps);
    return 0;
}
