// How large the number of paths between opposite corners of a grid can be. Pure.
#pragma once

namespace simpath {

// A number of bits that this number fits in.
//
// A path has each cell of the grid on its left or on its right, and is where cells of different
// sides, or a cell and the outside, meet: so there are no more paths than ways to color the cells
// with two colors, and no more than those of these in which no two by two cells are colored like a
// checkerboard, as the path would meet itself there. These are counted, in strips of columns
// whose ways are multiplied. Source: M. Bousquet-Mélou, A. J. Guttmann and I. Jensen, Self-avoiding
// walks crossing a square, J. Phys. A 38, 2005, section 3. Precondition: at least one cell.
int PathBits(int rows, int columns);  // of cells

}  // namespace simpath
