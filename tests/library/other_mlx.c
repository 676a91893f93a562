/* Stands for a libmlx that lacks what whinchat calls: it has the name and nothing else. */
int whinchat_test_other_mlx = 1;
